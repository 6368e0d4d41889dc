package report

import "image/color"

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
	RoleCapacity
	RoleLeast
	RoleWait
	RoleRun
	RoleAgainst
	roles
)

// roleLook is a role's name in style sheets and its colour on white and on black.
// Colours follow Okabe and Ito's, moved apart in lightness where two of them meet on
// one chart, so that they differ in grey too.
type roleLook struct {
	name        string
	light, dark uint32
}

var roleLooks = [roles]roleLook{
	RoleText:       {"text", 0x1b1f24, 0xe8eaed},
	RoleMuted:      {"muted", 0x59616b, 0xa8b0ba},
	RoleGrid:       {"grid", 0xe3e6ea, 0x31363d},
	RolePaper:      {"paper", 0xffffff, 0x16191d},
	RoleBand:       {"band", 0xf0f2f4, 0x20252b},
	RoleFirst:      {"first", 0x0072b2, 0x3d94d1},
	RoleRetry:      {"retry", 0xe69f00, 0xffc24d},
	RoleAccepted:   {"accepted", 0x006b4f, 0x17a57c},
	RoleRejected:   {"rejected", 0xe8793a, 0xffb185},
	RoleErrored:    {"errored", 0xb0508a, 0xe79cc6},
	RoleTimedOut:   {"timedout", 0x2f8fcb, 0x8fd0f5},
	RoleIncomplete: {"incomplete", 0x9a8700, 0xf0e442},
	RoleCancelled:  {"cancelled", 0x6b7280, 0xb6bcc4},
	RoleInFlight:   {"inflight", 0x1b1f24, 0xe8eaed},
	RoleServing:    {"serving", 0x0072b2, 0x3d94d1},
	RoleQueued:     {"queued", 0xd55e00, 0xffb185},
	RoleCapacity:   {"capacity", 0x1b1f24, 0xe8eaed},
	RoleLeast:      {"least", 0x1b1f24, 0xe8eaed},
	RoleWait:       {"wait", 0x7c8691, 0x7f8a96},
	RoleRun:        {"run", 0x7b3294, 0xdcb8f4},
	RoleAgainst:    {"against", 0x7d8590, 0x8b939e},
}

func (r Role) look() *roleLook { return &roleLooks[r] }

// RGBA makes a role a colour for gonum/plot: the one on white.
func (r Role) RGBA() (red, green, blue, alpha uint32) {
	c := r.look().light
	return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}.RGBA()
}
