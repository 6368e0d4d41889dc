package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

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
	script  []byte // that file
}

func (p *pictures) bind(flags *pflag.FlagSet) {
	flags.Var(&text{to: &p.chart, once: true}, "chart", "`FILE`.svg or .png: the herd as one picture")
	flags.Var(&text{to: &p.echarts, once: true}, "echarts", "`FILE`: ECharts 5.6.0, to put into charts.html")
}

// check finds a file that could not be read or drawn, before anything runs.
func (p *pictures) check(ctx context.Context) (err error) {
	if ext := filepath.Ext(p.chart); p.chart != "" && ext != ".svg" && ext != ".png" {
		return badInput("--chart %s: write a name that ends in .svg or .png", p.chart)
	}
	if p.echarts == "" {
		return nil
	}
	p.script, err = awaited(ctx, p.echarts, func() ([]byte, error) { return readScript(p.echarts) })
	switch {
	case isInterrupted(ctx, err):
		return err
	case err != nil:
		return badInput("--echarts: %w", err)
	}
	if err := report.CheckECharts(p.script); err != nil {
		return badInput("--echarts %s: %w", p.echarts, err)
	}
	return nil
}

// readScript reads a script, or as much of it as is more than one can be.
func readScript(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 16<<20))
}

// draw writes the pages into the folder for the scenario, and the chart, as far as they
// are wanted.
func (c command) draw(f *common, scenario string, p *pictures, input func() (report.PageInput, error)) error {
	if f.out == "off" && p.chart == "" {
		return nil
	}
	in, err := input()
	if err != nil {
		return err
	}
	if f.out != "off" {
		if err := writePages(c.dir(f, scenario), in, p.script); err != nil {
			return err
		}
	}
	if p.chart == "" {
		return nil
	}
	return report.ChartFile(p.chart, report.Herd(in))
}

// pageInput plays a seed of each arm again, with its attempts recorded if they are to be
// shown one by one.
func pageInput(ctx context.Context, src source, command string, arms []*scenarios.Scenario, seed uint64, traced bool) (report.PageInput, error) {
	s := arms[0]
	in := report.PageInput{Scenario: s.Name, About: s.About, Source: string(src.text), Command: command, Version: version()}
	for _, s := range arms {
		run, err := experiment.Run(ctx, s, seed, nil)
		if err != nil {
			return in, err
		}
		var trace *model.Trace
		if traced && run.Summary.Attempts.Total <= mostTraced {
			trace = &model.Trace{Client: model.AllClients}
			if run, err = experiment.Run(ctx, s, seed, trace); err != nil {
				return in, err
			}
		}
		shown := report.Run{Policy: policyOf(s), Summary: run.Summary, Tally: run.Tally}
		in.Arms = append(in.Arms, report.PageArm{Run: shown, Trace: trace, Config: &s.Config})
	}
	return in, nil
}

func writePages(dir string, in report.PageInput, echarts []byte) error {
	if err := report.WriteFile(filepath.Join(dir, "report.html"), func(w io.Writer) error { return report.Page(w, in) }); err != nil {
		return err
	}
	return report.WriteFile(filepath.Join(dir, "charts.html"), func(w io.Writer) error { return report.Explorer(w, in, echarts) })
}

// commandOf is the command that gives the same figures: no path, nothing that only says
// where they go, and always the seed, so that it is the same however that was given.
func commandOf(f *common, seed uint64, verb, name string, flags ...string) string {
	words := append([]string{"simulate", verb, filepath.Base(name)}, flags...)
	words = append(words, "--seed", strconv.FormatUint(seed, 10))
	if f.seeds > 1 {
		words = append(words, "--seeds", fmt.Sprint(f.seeds))
	}
	for _, set := range f.set {
		if strings.HasPrefix(set, "seed=") {
			continue
		}
		words = append(words, "--set", set)
	}
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

// overSeeds are the same flags for so many seeds.
func (f *common) overSeeds(n int) *common {
	over := *f
	over.seeds = n
	return &over
}

// shellWord quotes a word where a shell would take it apart.
func shellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
