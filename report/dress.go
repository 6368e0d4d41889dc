package report

import "html/template"

// dress is what every page carries to look and act alike, and to run nothing else.
type dress struct {
	Style   template.CSS
	Script  template.JS
	Allowed string // what may run: the script's hash
}

// dressed is the dress of a page with one of the embedded scripts.
func dressed(name string) (dress, error) {
	script, err := asset(name)
	if err != nil {
		return dress{}, err
	}
	style, err := asset("page.css")
	if err != nil {
		return dress{}, err
	}
	return dress{template.CSS(pageColours() + style), template.JS(script), hashOf(script)}, nil
}
