package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

// shown makes a sweep ready to be drawn.
func shownSweep(s *experiment.Sweep, result *experiment.SweepResult, command string) *report.Sweep {
	spec := &s.Spec
	out := &report.Sweep{
		Scenario: s.Base.Name, About: s.Base.About, Source: spec.Text, Command: command, Version: spec.Version,
		Seed: fmt.Sprint(spec.Seed), Runs: result.Runs, Total: result.CellsDone,
	}
	switch spec.Method {
	case scenarios.LatinHypercube:
		out.Sampled = "a Latin hypercube"
	case scenarios.RandomSample:
		out.Sampled = "drawn at random"
	}
	for _, axis := range spec.Vary {
		var keys []report.SweptKey
		for _, of := range axis.Keys {
			keys = append(keys, sweptKey(&of))
		}
		out.Axes = append(out.Axes, keys)
	}
	known := map[string]experiment.Compared{}
	for _, f := range experiment.ComparedFigures() {
		known[f.Name] = f
	}
	for _, path := range result.Columns {
		f := report.SweptFigure{Name: path, Path: path}
		if of, is := known[path]; is {
			f.Name, f.MoreIsGood = of.Label, of.MoreIsGood
		}
		switch {
		case model.InSeconds(path):
			f.Unit = report.InSeconds
		case path == "success":
			f.Unit = report.InPercent
		}
		out.Figures = append(out.Figures, f)
	}
	for _, cell := range result.Cells {
		c := report.SweptCell{Number: cell.Cell, Values: s.Values(cell.Cell), Places: s.Places(cell.Cell), Runs: cell.Runs}
		for _, text := range c.Values {
			v, _, is := scenarios.Number(text)
			if !is {
				v = math.NaN()
			}
			c.Numbers = append(c.Numbers, v)
		}
		for _, f := range cell.Figures {
			c.Figures = append(c.Figures, report.SweptValue{Mean: f.Mean, Lo: f.Lo, Hi: f.Hi, N: f.N})
		}
		out.Cells = append(out.Cells, c)
	}
	return out
}

// sweptKey is a key with its values; of many, which no picture has room for, none.
func sweptKey(of *scenarios.Varied) report.SweptKey {
	key := report.SweptKey{Name: of.Key, Log: of.Range != nil && of.Range.Log}
	for i := range of.Points() {
		text := of.At(i)
		key.Values = append(key.Values, text)
		v, isTime, is := scenarios.Number(text)
		if is && len(key.Numbers) == i {
			key.Numbers, key.Seconds = append(key.Numbers, v), key.Seconds || isTime
		}
	}
	if len(key.Numbers) < len(key.Values) {
		key.Numbers = nil
	}
	if of.Points() == 0 {
		_, key.Seconds, _ = scenarios.Number(of.Range.At(0.5))
	}
	return key
}

// draw writes the page and the chart, as far as they are wanted.
func (r *sweepCommand) draw(result *experiment.SweepResult) error {
	if r.out == "off" && r.chart == "" || len(result.Cells) == 0 {
		return nil
	}
	shown := shownSweep(r.sweep, result, r.again())
	if r.out != "off" {
		path := filepath.Join(r.dir(r.common, r.folder()), "report.html")
		if err := report.WriteFile(path, func(w io.Writer) error { return report.SweepPage(w, shown) }); err != nil {
			return err
		}
	}
	if r.chart == "" {
		return nil
	}
	return report.ChartFile(r.chart, shown.Chart())
}

// again is the command that gives the same figures.
func (r *sweepCommand) again() string {
	spec := &r.sweep.Spec
	var flags []string
	for _, axis := range spec.Vary {
		flags = append(flags, "--vary", axis.String())
	}
	if spec.Sample > 0 {
		flags = append(flags, "--sample", fmt.Sprint(spec.Sample), "--sample-method", string(spec.Method))
	}
	if spec.Until != "" {
		flags = append(flags, "--until", spec.Until)
	}
	for _, name := range spec.Figures {
		flags = append(flags, "--figure", name)
	}
	f := common{set: spec.Set}
	name := spec.Scenario
	if text, builtin := scenarios.Source(name); !builtin || string(text) != spec.Text {
		name = spec.File
	}
	flags = append(flags, "--seeds", fmt.Sprint(spec.Seeds))
	return commandOf(&f, spec.Seed, "sweep", name, flags...)
}

// mostRows is how many cells the terminal lists.
const mostRows = 40

// show prints the cells, or where the figures are least and greatest where these are many.
func (r *sweepCommand) show(result *experiment.SweepResult) error {
	return shownSweep(r.sweep, result, "").Terminal(r.stdout, report.Style{Color: r.styled}, mostRows)
}

// sweepDocument is the document of `sweep --json`, a cell at a time: all at once could
// take all of the memory.
func (r *sweepCommand) document(result *experiment.SweepResult, partial bool) error {
	type figure struct {
		N      int             `json:"n"`
		Mean   model.Number    `json:"mean"`
		CI95   [2]model.Number `json:"ci95"`
		Median model.Number    `json:"median"`
		Middle [2]model.Number `json:"median_ci95"`
	}
	head, err := report.Compact(map[string]any{
		"partial": partial, "scenario": r.sweep.Base.Name, "seed": fmt.Sprint(r.sweep.Spec.Seed), "cells": r.sweep.Cells(),
		"cells_done": result.CellsDone, "runs": result.Runs, "unmet_runs": result.UnmetRuns, "method": experiment.IntervalMethod,
	})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(r.stdout, "%s,\n\"summary\": [", head[:len(head)-1]); err != nil {
		return err
	}
	for i, cell := range result.Cells {
		keys, figures := map[string]string{}, map[string]figure{}
		for k, value := range r.sweep.Values(cell.Cell) {
			keys[r.sweep.Keys()[k]] = value
		}
		for j, f := range cell.Figures {
			figures[result.Columns[j]] = figure{f.N, f.Mean, [2]model.Number{f.Lo, f.Hi}, f.Median, [2]model.Number{f.MedianLo, f.MedianHi}}
		}
		line, err := report.Compact(map[string]any{"cell": cell.Cell, "n": cell.Runs, "keys": keys, "figures": figures})
		if err != nil {
			return err
		}
		comma := ","
		if i == 0 {
			comma = ""
		}
		if _, err := fmt.Fprintf(r.stdout, "%s\n%s", comma, line); err != nil {
			return err
		}
	}
	_, err = io.WriteString(r.stdout, "\n]}\n")
	return err
}
