package live

import "github.com/stampede-sim/stampede/model"

// The shapes of an answer without a result, one for each flavour that has its own.

type chatError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	} `json:"error"`
}

type azureError struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type anthropicError struct {
	Type  string `json:"type"` // error
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	RequestID string `json:"request_id"`
}

type geminiError struct {
	Error struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Status  string         `json:"status"`
		Details []geminiDetail `json:"details,omitempty"`
	} `json:"error"`
}

// geminiDetail is a QuotaFailure or a RetryInfo.
type geminiDetail struct {
	Type       string            `json:"@type"`
	Violations []geminiViolation `json:"violations,omitempty"`
	Delay      string            `json:"retryDelay,omitempty"`
}

type geminiViolation struct {
	QuotaID string `json:"quotaId"`
	Value   int64  `json:"quotaValue,string"`
}

type mistralError struct {
	Object  string `json:"object"` // error
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    string `json:"code"`
	Status  int    `json:"raw_status_code"`
}

// errorShape gives what a body says the shape of its flavour.
func errorShape(f model.Flavour, b *model.ErrorBody, id string) any {
	switch f {
	case model.AzureFlavour:
		var e azureError
		e.Error.Code, e.Error.Message = b.Code, b.Message
		return e
	case model.AnthropicFlavour:
		e := anthropicError{Type: "error", RequestID: id}
		e.Error.Type, e.Error.Message = b.Type, b.Message
		return e
	case model.GeminiFlavour:
		var e geminiError
		e.Error.Code, e.Error.Message, e.Error.Status = b.Status, b.Message, b.Type
		if b.Quota != "" {
			e.Error.Details = append(e.Error.Details, geminiDetail{
				Type:       "type.googleapis.com/google.rpc.QuotaFailure",
				Violations: []geminiViolation{{QuotaID: b.Quota, Value: b.Limit}},
			})
		}
		if b.Delay != "" {
			e.Error.Details = append(e.Error.Details, geminiDetail{Type: "type.googleapis.com/google.rpc.RetryInfo", Delay: b.Delay})
		}
		return e
	case model.MistralFlavour:
		return mistralError{Object: "error", Message: b.Message, Type: b.Type, Code: b.Code, Status: b.Status}
	}
	var e chatError
	e.Error.Message, e.Error.Type = b.Message, b.Type
	if b.Code != "" {
		e.Error.Code = &b.Code
	}
	return e
}
