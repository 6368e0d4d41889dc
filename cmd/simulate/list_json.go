package main

import (
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// The documents of list --json and check --json.

type listedScenarios struct {
	Scenarios []listedScenario `json:"scenarios"`
}

type listedScenario struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func scenariosListed() listedScenarios {
	var d listedScenarios
	for _, e := range scenarios.List() {
		d.Scenarios = append(d.Scenarios, listedScenario{e.Name, e.About})
	}
	return d
}

type listedPolicies struct {
	Policies []listedPolicy `json:"policies"`
}

type listedPolicy struct {
	Name     string       `json:"name"`
	Attempts string       `json:"attempts"`
	Waits    []listedWait `json:"waits"`  // none: one attempt, no retry
	Preset   *listedFacts `json:"preset"` // null for those that are nobody's
}

// listedFacts is what is known of a client preset.
type listedFacts struct {
	Retries  string   `json:"retries"`
	Hint     string   `json:"hint"`
	Timeouts string   `json:"timeouts"`
	Note     string   `json:"note"`
	Open     []string `json:"open"`
	Date     string   `json:"facts_of"`
	Grade    string   `json:"grade"`
	Means    string   `json:"grade_means"`
	Source   string   `json:"source"`
	YAML     string   `json:"yaml"`
}

// listedWait is the wait before an attempt, where no hint is weighed.
type listedWait struct {
	Attempt int          `json:"attempt"`
	Least   model.Number `json:"least_s"`
	Most    model.Number `json:"most_s"`
}

func policiesListed() listedPolicies {
	var d listedPolicies
	for _, n := range policiesToList() {
		p := listedPolicy{Name: n.name, Attempts: n.policy.Attempts.String(), Waits: []listedWait{}}
		if f := n.preset; f != nil {
			p.Preset = &listedFacts{
				retriedInShort(n.policy.Triage), hintOfPolicy(n.policy.Hint), timeoutsInShort(n.policy), f.Note, append([]string{}, f.Open...),
				f.Date, f.Grade, scenarios.GradeWords(f.Grade), f.Source, string(f.YAML()),
			}
		}
		for _, row := range n.policy.Work(listedAttempts) {
			p.Waits = append(p.Waits, listedWait{int(row.Attempt), model.Number(row.Least.Seconds()), model.Number(row.Most.Seconds())})
		}
		d.Policies = append(d.Policies, p)
	}
	return d
}

type listedProviders struct {
	Providers []listedProvider `json:"providers"`
}

type listedProvider struct {
	Preset string   `json:"preset"`
	Limits []string `json:"limits"`
	Hint   string   `json:"hint"`
	Date   string   `json:"facts_of"`
	Grade  string   `json:"grade"`
	Means  string   `json:"grade_means"`
	Note   string   `json:"note"`
	Source string   `json:"source"`
}

func providersListed() listedProviders {
	var d listedProviders
	for _, p := range scenarios.Presets() {
		d.Providers = append(d.Providers, listedProvider{
			p.Name, limitsInShort(&p), hintInShort(&p.Provider.Hint), p.Date, p.Grade, scenarios.GradeWords(p.Grade), p.Note, p.Source,
		})
	}
	return d
}

type checked struct {
	File     string    `json:"file"`
	Valid    bool      `json:"valid"`
	Mistakes []mistake `json:"mistakes"`
}

// mistake is where and what: line and column count from 1, and are 0 where there is no
// place, as in a flag.
type mistake struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Path   string `json:"path"`
	Text   string `json:"text"`
}

func newChecked(file string, mistakes scenarios.Mistakes) checked {
	d := checked{File: file, Valid: len(mistakes) == 0, Mistakes: []mistake{}}
	for _, m := range mistakes {
		d.Mistakes = append(d.Mistakes, mistake{m.File, m.Line, m.Column, m.Path, m.Text})
	}
	return d
}
