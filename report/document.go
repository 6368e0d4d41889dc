package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// Document writes v as one indented JSON document.
func Document(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("as JSON: %w", err)
	}
	return nil
}
