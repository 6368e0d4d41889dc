package model

import "strconv"

func mistralType(status int) string {
	switch {
	case status == 429:
		return "rate_limited"
	case status < 500:
		return "invalid_request_error"
	}
	return "service_unavailable"
}

// mistralCode is known of one status; the others have their own number.
func mistralCode(status int) string {
	if status == 429 {
		return "1300"
	}
	return strconv.Itoa(status)
}

func (r *refusal) mistral() {
	if r.body.Status == 429 {
		r.body.Message = "Rate limit exceeded"
	}
	r.tryAgain()
}
