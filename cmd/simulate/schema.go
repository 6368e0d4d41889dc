package main

import (
	"context"

	"github.com/stampede-sim/stampede/scenarios"
)

func schemaVerb() verb {
	return verb{
		name: "schema", does: "the JSON Schema of the scenario language, for editors",
		help: `An editor that knows YAML completes keys, shows what they mean and underlines mistakes as you
type, if the first line of a scenario names the schema, as that of every built-in does:

  # yaml-language-server: $schema=schema.json

A schema cannot say that a name must be defined, that one key contradicts another, or how a
number is spelled; ` + "`simulate check`" + ` does.`,
		examples: []string{"simulate schema > schema.json"},
		run: func(_ context.Context, c command, args []string) error {
			if len(args) > 0 {
				return badInput("schema takes no argument; `simulate schema > schema.json` keeps it beside your scenarios")
			}
			_, err := c.stdout.Write(scenarios.Schema())
			return err
		},
	}
}
