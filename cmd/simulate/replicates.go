package main

import (
	"errors"
	"fmt"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

// showMany prints the statistics of the main figures, of the scenario and of the
// policy it is shown against.
func (c command) showMany(s *scenarios.Scenario, runs, rival *experiment.Replicates) error {
	err := c.table(titleOf(s.Name, policyOf(s), runs), runs)
	if rival != nil {
		err = errors.Join(err, c.table(titleOf("against", s.Against, rival), rival))
	}
	return err
}

// warn tells what of a config has no effect, where no summary is shown that does.
func (c command) warn(of string, config *model.Config) {
	for _, text := range config.Warnings() {
		fmt.Fprintln(c.stderr, "warning: "+printable(of+text))
	}
}

func titleOf(name, policy string, runs *experiment.Replicates) string {
	return titleOfMany(name, policy, len(runs.Runs))
}

func titleOfMany(name, policy string, runs int) string {
	title := report.Short(name)
	if policy != "" {
		title += ": " + report.Short(policy)
	}
	if runs == 1 {
		return title + ", 1 seed"
	}
	return fmt.Sprintf("%s, %d seeds", title, runs)
}

func (c command) table(title string, runs *experiment.Replicates) error {
	return c.tableOf(title, func(name string) (experiment.Stats, error) { return runs.Figure(name), nil })
}

func (c command) tableOf(title string, stats func(name string) (experiment.Stats, error)) error {
	var figures []report.Figure
	for _, f := range []struct {
		label, name string
		unit        report.Unit
		rare        bool // shown where it is not 0 in every run
	}{
		{"wall", "wall_s", report.InSeconds, false},
		{"success", "success", report.InPercent, false},
		{"failed", "operations.failed", report.InNumbers, true},
		{"in flight", "operations.in_flight", report.InNumbers, true},
		{"attempts", "attempts.total", report.InNumbers, false},
		{"rejected", "attempts.rejected", report.InNumbers, false},
		{"busiest retry slot", "herd.busiest_retry", report.InNumbers, false},
		{"p50 latency", "latency_s.p50", report.InSeconds, false},
		{"p99 latency", "latency_s.p99", report.InSeconds, false},
	} {
		of, err := stats(f.name)
		if err != nil {
			return err
		}
		if f.rare && of.Mean == 0 {
			continue
		}
		figures = append(figures, report.Figure{Name: f.label, Unit: f.unit, Stats: shownStats(of)})
	}
	return report.Replicates(c.stdout, report.Style{Color: c.styled}, title, figures)
}

func shownStats(s experiment.Stats) report.Stats {
	return report.Stats{N: s.N, Mean: s.Mean, Median: s.Median, P10: s.P10, P90: s.P90, CI95: s.CI95}
}
