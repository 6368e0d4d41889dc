package report

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// Role is what a series stands for. It has one colour, the same on every chart.
type Role uint8

// The roles.
const (
	RoleText Role = iota
	RoleMuted
	RoleGrid
	RolePaper
	RoleBand
	RoleFirst
	RoleRetry
	RoleAccepted
	RoleRejected
	RoleErrored
	RoleTimedOut
	RoleIncomplete
	RoleCancelled
	RoleInFlight
	RoleServing
	RoleQueued
	RoleHeld
	RoleCapacity
	RoleLeast
	RoleWait
	RoleRun
	RoleAgainst
	RoleThird
	RoleFourth
	RoleFifth
	RoleSixth
	RoleSeventh
	RoleEighth
	RoleLimit1
	RoleLimit2
	RoleLimit3
	RoleLimit4
	RoleLimit5
	RoleLimit6
	RoleHeat1
	RoleHeat2
	RoleHeat3
	RoleHeat4
	RoleHeat5
	RoleHeat6
	RoleHeat7
	roles
)

// roleLook is a role's name in style sheets, its colour on white and on black and, of
// lines that meet many others, its dashes. Colours follow Okabe and Ito's,
// moved apart in lightness where two of them meet on one chart or stand for the same
// attempts, so that they differ in grey too.
type roleLook struct {
	name        string
	light, dark uint32
	dashes      []vg.Length
}

var roleLooks = [roles]roleLook{
	RoleText:       {"text", 0x1b1f24, 0xe8eaed, nil},
	RoleMuted:      {"muted", 0x59616b, 0xa8b0ba, nil},
	RoleGrid:       {"grid", 0xe3e6ea, 0x31363d, nil},
	RolePaper:      {"paper", 0xffffff, 0x16191d, nil},
	RoleBand:       {"band", 0xf0f2f4, 0x20252b, nil},
	RoleFirst:      {"first", 0x0072b2, 0x3d94d1, nil},
	RoleRetry:      {"retry", 0xe69f00, 0xffc24d, nil},
	RoleAccepted:   {"accepted", 0x006b4f, 0x17a57c, nil},
	RoleRejected:   {"rejected", 0xb8508f, 0xd486b2, nil},
	RoleErrored:    {"errored", 0xd55e00, 0xff8f4d, nil},
	RoleTimedOut:   {"timedout", 0x2f8fcb, 0x8fd0f5, nil},
	RoleIncomplete: {"incomplete", 0x9a8700, 0xf0e442, nil},
	RoleCancelled:  {"cancelled", 0x6b7280, 0xb6bcc4, nil},
	RoleInFlight:   {"inflight", 0x1b1f24, 0xe8eaed, nil},
	RoleServing:    {"serving", 0x0072b2, 0x3d94d1, nil},
	RoleQueued:     {"queued", 0xd55e00, 0xffb185, nil},
	RoleHeld:       {"held", 0xcc79a7, 0xcf86b8, []vg.Length{5, 2}},
	RoleCapacity:   {"capacity", 0x1b1f24, 0xe8eaed, nil},
	RoleLeast:      {"least", 0x1b1f24, 0xe8eaed, nil},
	RoleWait:       {"wait", 0x7c8691, 0x7f8a96, nil},
	RoleRun:        {"run", 0x7b3294, 0xdcb8f4, nil},
	RoleAgainst:    {"against", 0x7d8590, 0x8b939e, []vg.Length{7, 3}},
	RoleThird:      {"third", 0x0072b2, 0x3d94d1, []vg.Length{2, 2}},
	RoleFourth:     {"fourth", 0xd55e00, 0xff8f4d, []vg.Length{11, 3, 2, 3}},
	RoleFifth:      {"fifth", 0x009e73, 0x35c49a, []vg.Length{14, 5}},
	RoleSixth:      {"sixth", 0x1b1f24, 0xe8eaed, []vg.Length{4, 4}},
	RoleSeventh:    {"seventh", 0xc98b00, 0xffc24d, []vg.Length{9, 2, 2, 2, 2, 2}},
	RoleEighth:     {"eighth", 0x56b4e9, 0x8fd0f5, []vg.Length{1, 4}},
	RoleLimit1:     {"limit1", 0x005a8d, 0x3d94d1, nil},
	RoleLimit2:     {"limit2", 0xe8793a, 0xffb185, nil},
	RoleLimit3:     {"limit3", 0x009e73, 0x35c49a, []vg.Length{2, 2}},
	RoleLimit4:     {"limit4", 0x7b3294, 0xdcb8f4, []vg.Length{11, 3, 2, 3}},
	RoleLimit5:     {"limit5", 0x8a6d00, 0xffc24d, []vg.Length{14, 5}},
	RoleLimit6:     {"limit6", 0x1b1f24, 0xe8eaed, []vg.Length{1, 4}},
	// From little to much, lighter to darker on white and the other way on black.
	RoleHeat1: {"heat1", 0xe8f1f8, 0x16293a, nil},
	RoleHeat2: {"heat2", 0xcde2f0, 0x1c3c56, nil},
	RoleHeat3: {"heat3", 0xa9cfe6, 0x235273, nil},
	RoleHeat4: {"heat4", 0x7db8d9, 0x2c6a92, nil},
	RoleHeat5: {"heat5", 0x559fca, 0x3d86b3, nil},
	RoleHeat6: {"heat6", 0x3584b6, 0x5da5cf, nil},
	RoleHeat7: {"heat7", 0x1f6a9c, 0x8cc5e6, nil},
}

func (r Role) look() *roleLook { return &roleLooks[r] }

// RGBA makes a role a colour for gonum/plot: the one on white.
func (r Role) RGBA() (red, green, blue, alpha uint32) {
	c := r.look().light
	return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}.RGBA()
}
