package policies

// HintForm is a way in which a hint is written.
type HintForm string

// The forms.
const (
	MillisForm  HintForm = "ms"      // retry-after-ms: milliseconds
	SecondsForm HintForm = "seconds" // retry-after: whole seconds
	FloatForm   HintForm = "float"   // retry-after: seconds with a fraction or without
	DateForm    HintForm = "date"    // retry-after: an HTTP date
	BodyForm    HintForm = "body"    // in the error's text, such as "Please try again in 11.054s", or Gemini's RetryInfo
)

// Words lists the forms a scenario may name.
func (HintForm) Words() []string {
	return []string{string(MillisForm), string(SecondsForm), string(FloatForm), string(DateForm), string(BodyForm)}
}

// HintForms is the forms that a client can read. The zero value is all of them,
// retry-after-ms before retry-after before the body.
type HintForms uint8

// AllForms reads all that can be read; HintFormsSets is how many sets there are.
const (
	AllForms      HintForms = 0
	HintFormsSets           = 1 << 6
)

const (
	readsMillis HintForms = 1 << iota
	readsSeconds
	readsFloat
	readsDate
	readsBody
	readsMillisLast // where there are both, retry-after is looked at before retry-after-ms

	readsEvery = readsMillis | readsSeconds | readsFloat | readsDate | readsBody
)

// FormsOf is a list of forms as a set; the empty list is all of them. Of their order only
// one thing matters: whether ms comes before what stands in retry-after.
func FormsOf(list []HintForm) HintForms {
	var set HintForms
	for _, f := range list {
		switch f {
		case MillisForm:
			if set&(readsSeconds|readsFloat|readsDate) != 0 {
				set |= readsMillisLast
			}
			set |= readsMillis
		case SecondsForm:
			set |= readsSeconds
		case FloatForm:
			set |= readsFloat | readsSeconds
		case DateForm:
			set |= readsDate
		case BodyForm:
			set |= readsBody
		}
	}
	if set == readsEvery {
		return AllForms
	}
	return set
}

// Reads says whether a form is among them.
func (s HintForms) Reads(f HintForm) bool {
	if s == AllForms {
		return true
	}
	return s&FormsOf([]HintForm{f}) == FormsOf([]HintForm{f})
}

// RetryAfterFirst says whether retry-after is looked at before retry-after-ms.
func (s HintForms) RetryAfterFirst() bool { return s&readsMillisLast != 0 }

// RetryAfter says whether the header retry-after is looked at, whatever stands in it.
func (s HintForms) RetryAfter() bool {
	return s == AllForms || s&(readsSeconds|readsFloat|readsDate) != 0
}
