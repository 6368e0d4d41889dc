// Package scenarios reads the scenario language and holds the built-in scenarios.
//
// [Load] takes the name of a built-in or the path of a YAML file, with any number
// of KEY=VALUE overrides, and returns a checked [Scenario]: its config is what
// package model runs, its expectations judge a run's summary. Reading is strict,
// and an error is [Mistakes]: every mistake of the file at once, each with its
// place, the path of its key and what to write instead.
//
// The language is the config structs of packages model and policies: a field's
// yaml tag is its key, its min, max and above tags are its range, SetDefaults
// fills what is left out and Check finds what contradicts itself. In a yaml tag,
// one marks alternatives, short what a value that is not a mapping fills, required
// what must be given, filled a list or a text that must not be empty, and rest the map that
// takes all other keys; an example tag is what a message says to write. A type that
// reads its own text has UnmarshalText, and Schema, which says what that reads.
//
// The JSON Schema of the language comes from all of this and from the fields'
// comments, and so does LANGUAGE.md: `go test ./scenarios -update` writes both.
package scenarios
