package live

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// decline says the provider's no.
func (v *visit) decline(says *said) {
	d := &says.decision
	v.answer.Hint = d.Hint
	if d.Verdict == model.Reject {
		v.w.Header().Set(axisHeader, d.Axis.String())
		v.w.Header().Set(kindHeader, d.Kind.String())
		v.answer.End, v.answer.Refusal, v.axis = policies.Rejected, d.Kind, d.Axis
	} else {
		v.w.Header().Set(axisHeader, noAxis)
		v.answer.End = policies.Errored
	}
	v.fail(says.body)
}

// declineLate says the provider's no to one who has waited for it.
func (v *visit) declineLate(says *said) {
	v.say(says.headers)
	v.decline(says)
}

// refuseLate answers a request whose answer was never begun, if anybody still listens.
func (v *visit) refuseLate() {
	if v.r.Context().Err() == nil {
		v.refuse(http.StatusServiceUnavailable, "the server is closing")
		v.answer.End = policies.Incomplete // which is no failure of the scenario's
		return
	}
	v.answer.End = policies.Cancelled
	reset(v.w) // net/http would call it a 200 without a body
}

// refuse answers with a status and a sentence of our own.
func (v *visit) refuse(status int, message string) {
	v.answer.End = policies.Errored
	v.fail(v.flavour.ErrorBody(status, message))
}

// fail answers without a result.
func (v *visit) fail(body model.ErrorBody) {
	v.write(body.Status, errorShape(v.flavour, &body, v.id))
}

// write answers in one piece, and says whether it went out.
func (v *visit) write(status int, shape any) bool {
	v.answer.Status = int16(status)
	v.waitForReader()
	return writeJSON(v.w, status, shape) == nil
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own shapes have nothing that JSON lacks
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	_, err = w.Write(append(body, '\n'))
	return err
}
