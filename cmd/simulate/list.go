package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

func listVerb() verb {
	var providers, named bool
	var f common
	return verb{
		name: "list", does: "the built-in scenarios, provider presets, or policies",
		examples: []string{"simulate list", "simulate list --providers", "simulate list --policies", "simulate list --json"},
		flags: func(flags *pflag.FlagSet) {
			flags.BoolVar(&providers, "providers", false, "provider presets: limits, hint, date of the facts, grade")
			flags.BoolVar(&named, "policies", false, "policies that need no definition, client presets among them, each with what it waits")
			f.bindJSON(flags)
		},
		run: func(_ context.Context, c command, args []string) error {
			if len(args) > 0 {
				return badInput("list takes no argument; `simulate show %s` prints a scenario", args[0])
			}
			switch {
			case providers && named:
				return badInput("--providers and --policies are two lists; ask for one")
			case providers && f.json:
				return report.Document(c.stdout, providersListed())
			case named && f.json:
				return report.Document(c.stdout, policiesListed())
			case f.json:
				return report.Document(c.stdout, scenariosListed())
			case providers:
				listProviders(c.stdout)
				return nil
			case named:
				listPolicies(c.stdout)
				return nil
			}
			for _, e := range scenarios.List() {
				fmt.Fprintf(c.stdout, "%-18s %s\n", e.Name, e.About)
			}
			return nil
		},
	}
}

func showVerb() verb {
	return verb{
		name: "show", args: "NAME", does: "a built-in scenario, exactly as its file is written, or a client preset",
		examples: []string{"simulate show herd-100", "simulate show herd-100 > mine.yaml && simulate run mine.yaml", "simulate show openai-node@6.49"},
		run: func(_ context.Context, c command, args []string) error {
			name, err := one(args, "show", "a built-in scenario")
			if err != nil {
				return err
			}
			source, known := scenarios.Source(name)
			for _, p := range scenarios.ClientPresets() {
				if !known && p.Name == name {
					source, known = p.YAML(), true
				}
			}
			if !known {
				if wrong := policyToShow(name); wrong != "" {
					return badInput("%s", wrong)
				}
				_, err := scenarios.Load(name)
				if err == nil {
					err = badInput("%q is a file of yours; show prints built-in scenarios, `simulate list` names them", name)
				}
				return err
			}
			_, err = c.stdout.Write(source)
			return err
		},
	}
}

// policyToShow says what to write instead of a policy's name that has no text of its own;
// "" where it is no such name.
func policyToShow(name string) string {
	if _, ready := policies.Default()[name]; ready {
		return fmt.Sprintf("%s is a policy that needs no definition; `simulate list --policies` shows what it waits", name)
	}
	for _, p := range scenarios.ClientPresets() {
		if base, _, _ := strings.Cut(p.Name, "@"); base == name || strings.HasPrefix(name, base+"@") {
			_, err := (&scenarios.Scenario{}).ResolvePolicy(name)
			return err.Error()
		}
	}
	return ""
}

func checkVerb() verb {
	var f common
	return verb{
		name: "check", args: "SCENARIO", does: "only look for mistakes in a scenario: all of them, with their places",
		examples: []string{"simulate check herd-100", "simulate show herd-100 > mine.yaml && simulate check mine.yaml", "simulate check herd-100 --set provider.seats=4 --json"},
		flags: func(flags *pflag.FlagSet) {
			f.bindSet(flags)
			f.bindJSON(flags)
		},
		run: func(ctx context.Context, c command, args []string) error {
			src, err := given(ctx, "check", args)
			if err == nil {
				_, err = f.load(src)
			}
			var mistakes scenarios.Mistakes
			switch known := errors.As(err, &mistakes); {
			case err != nil && !known:
				return err
			case f.json:
				return errors.Join(report.Document(c.stdout, newChecked(src.name, mistakes)), err)
			case err == nil:
				fmt.Fprintf(c.stdout, "%s: no mistakes\n", printable(src.name))
			}
			return err
		},
	}
}
