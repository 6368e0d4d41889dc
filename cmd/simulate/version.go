package main

import (
	"context"
	"fmt"
	"runtime/debug"
)

func versionVerb() verb {
	return verb{
		name: "version", does: "the program's version and what it was built with",
		examples: []string{"simulate version"},
		run: func(_ context.Context, c command, args []string) error {
			if len(args) > 0 {
				return badInput("version takes no argument")
			}
			_, err := fmt.Fprintf(c.stdout, "simulate %s\n", version())
			return err
		},
	}
}

// version is the module's version and the commit, as far as the build knows them.
func version() string {
	info, known := debug.ReadBuildInfo()
	if !known {
		return "unknown"
	}
	text := info.Main.Version
	if text == "" || text == "(devel)" {
		text = "0.1.0-dev"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			text += " " + s.Value[:12]
		}
	}
	return text + " " + info.GoVersion
}
