package live

import "io"

// mostOfString is what is kept of a text in an answer's JSON, in bytes. Nobody looks at more than
// whether there is one, and all of them, of all clients, may be more than this machine holds.
const mostOfString = 64

// skim goes through JSON and says what of it is kept: all but the rest of a long text. What is kept
// is JSON where the whole is.
type skim struct {
	text    bool // it is in one
	length  int
	keeping bool
	escaped bool // the next byte belongs to a backslash
	digits  int  // that belong to a \u that is kept
}

func (s *skim) keeps(b byte) bool {
	switch {
	case !s.text:
		s.text, s.length = b == '"', 0
		return true
	case s.escaped:
		s.escaped = false
		if b == 'u' && s.keeping {
			s.digits = 4
		}
	case s.digits > 0:
		s.digits--
	case b == '"':
		s.text = false
		return true
	default:
		s.keeping = s.length < mostOfString || b < ' ' // which JSON allows in no text
		s.escaped = b == '\\'
	}
	s.length++
	return s.keeping
}

// skimmed reads what skim keeps.
type skimmed struct {
	io.Reader
	skim
}

func (s *skimmed) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	kept := b[:0]
	for _, c := range b[:n] {
		if s.keeps(c) {
			kept = append(kept, c)
		}
	}
	return len(kept), err
}
