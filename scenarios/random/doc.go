// Package random draws scenarios for property tests: valid ones, small enough to run in
// a moment, over the whole language. It goes by the language's JSON Schema, which is made
// from the structs and their tags, so a key that is added there is drawn here; what makes
// a good value of a key, where any would not do, stands in one table (values.go).
//
// Tests alone import it. What it draws is driven by [rapid], which shrinks a failure
// to a small scenario.
//
// [rapid]: https://pkg.go.dev/pgregory.net/rapid
package random
