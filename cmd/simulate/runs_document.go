package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/report"
)

// manyRuns is a document that holds lists of runs, each under the key runs.
type manyRuns interface {
	// split returns the document with empty lists, and what they hold, in order.
	split() (shell any, runs [][]*model.Summary)
}

// writeRuns writes such a document as [report.Document] does, but a run at a time: as
// text, all at once would take three times the memory that they do.
func writeRuns(w io.Writer, d manyRuns) error {
	shell, runs := d.split()
	var lists []runList
	for _, of := range runs {
		lists = append(lists, func(yield func(any) error) error {
			for _, run := range of {
				if err := yield(run); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return writeLists(w, shell, lists)
}

// runList calls yield with each run of a list: a summary, or its JSON.
type runList func(yield func(run any) error) error

// writeLists writes a document whose lists of runs are empty, with these in their places.
func writeLists(w io.Writer, shell any, lists []runList) error {
	var b bytes.Buffer
	if err := report.Document(&b, shell); err != nil {
		return err
	}
	rest := b.Bytes()
	for _, runs := range lists {
		const empty = `"runs": []`
		at := bytes.Index(rest, []byte(empty))
		indent := string(rest[bytes.LastIndexByte(rest[:at], '\n')+1 : at])
		open := at + len(empty) - len("]")
		if _, err := w.Write(rest[:open]); err != nil {
			return fmt.Errorf("as JSON: %w", err)
		}
		some := false
		err := runs(func(run any) error {
			after := some
			some = true
			return writeRun(w, run, indent, after)
		})
		if err != nil {
			return fmt.Errorf("as JSON: %w", err)
		}
		if some {
			if _, err := io.WriteString(w, "\n"+indent); err != nil {
				return fmt.Errorf("as JSON: %w", err)
			}
		}
		rest = rest[open:]
	}
	if _, err := w.Write(rest); err != nil {
		return fmt.Errorf("as JSON: %w", err)
	}
	return nil
}

func writeRun(w io.Writer, run any, indent string, after bool) error {
	indent += "  "
	before := "\n" + indent
	if after {
		before = "," + before
	}
	text, err := report.Indented(run, indent)
	if err != nil {
		return err
	}
	_, err = w.Write(append([]byte(before), text...))
	return err
}

func (d *replicated) split() (any, [][]*model.Summary) {
	shell, runs := *d, [][]*model.Summary{d.Runs}
	shell.Runs = []*model.Summary{}
	if d.Against != nil {
		against, more := d.Against.split()
		shell.Against, runs = against.(*replicated), append(runs, more...)
	}
	return &shell, runs
}

func (d *compared) split() (any, [][]*model.Summary) {
	shell := *d
	shell.Arms = nil
	var runs [][]*model.Summary
	for _, arm := range d.Arms {
		of, more := arm.replicated.split()
		shell.Arms, runs = append(shell.Arms, comparedArm{arm.Value, of.(*replicated)}), append(runs, more...)
	}
	return &shell, runs
}
