package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

// mostTraced is how many attempts a page is given one by one; a run of more has its
// pages without the charts of single attempts.
const mostTraced = 500_000

// pictures are the files that people look at.
type pictures struct {
	chart   string // path of one chart; "" for none
	echarts string // path of ECharts; "" for the embedded copy, or the network
}

// check finds a file that could not be read or drawn, before anything runs.
func (p *pictures) check() (echarts []byte, err error) {
	if ext := filepath.Ext(p.chart); p.chart != "" && ext != ".svg" && ext != ".png" {
		return nil, badInput("--chart %s: write a name that ends in .svg or .png", p.chart)
	}
	if p.echarts == "" {
		return nil, nil
	}
	if echarts, err = os.ReadFile(p.echarts); err != nil {
		return nil, badInput("--echarts: %w", err)
	}
	if err := report.CheckECharts(echarts); err != nil {
		return nil, badInput("--echarts %s: %w", p.echarts, err)
	}
	return echarts, nil
}

// pageInput plays a run again with its attempts recorded, and the rival's.
func pageInput(ctx context.Context, f *common, name string, s, rival *scenarios.Scenario, seed uint64) (report.PageInput, error) {
	in := report.PageInput{Scenario: s.Name, About: s.About, Source: sourceOf(name), Command: commandOf(f, name), Version: version()}
	run, trace, err := recorded(ctx, s, seed)
	if err != nil {
		return in, err
	}
	in.Run, in.Trace = report.Run{Policy: policyOf(s), Summary: run.Summary, Tally: run.Tally}, trace
	if rival == nil {
		return in, nil
	}
	other, trace, err := recorded(ctx, rival, seed)
	if err != nil {
		return in, err
	}
	in.Against, in.AgainstTrace = &report.Run{Policy: policyOf(rival), Summary: other.Summary, Tally: other.Tally}, trace
	return in, nil
}

func recorded(ctx context.Context, s *scenarios.Scenario, seed uint64) (*experiment.Result, *model.Trace, error) {
	run, err := experiment.Run(ctx, s, seed, nil)
	if err != nil || run.Summary.Attempts.Total > mostTraced {
		return run, nil, err
	}
	trace := &model.Trace{Client: model.AllClients}
	run, err = experiment.Run(ctx, s, seed, trace)
	return run, trace, err
}

func writePages(dir string, in report.PageInput, echarts []byte) error {
	if err := report.WriteFile(filepath.Join(dir, "report.html"), func(w io.Writer) error { return report.Page(w, in) }); err != nil {
		return err
	}
	return report.WriteFile(filepath.Join(dir, "charts.html"), func(w io.Writer) error { return report.Explorer(w, in, echarts) })
}

// sourceOf is the text of a scenario that was read before.
func sourceOf(name string) string {
	if text, builtin := scenarios.Source(name); builtin {
		return string(text)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}

// commandOf is the command that gives the same figures: no path, and nothing that
// only says where they go.
func commandOf(f *common, name string) string {
	words := []string{"simulate", "run", filepath.Base(name)}
	if f.seed != "" {
		words = append(words, "--seed", f.seed)
	}
	if f.seeds > 1 {
		words = append(words, "--seeds", fmt.Sprint(f.seeds))
	}
	for _, set := range f.set {
		words = append(words, "--set", set)
	}
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word where a shell would take it apart.
func shellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
