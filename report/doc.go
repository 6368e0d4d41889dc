// Package report writes what a run, or a [Comparison], came to: for a terminal
// ([Terminal], [Trace], [Replicates]), for scripts ([Document], [Slots]), as pages
// ([Page], [Explorer]) and as pictures ([ChartFile]). It draws the tallies it is given
// and runs nothing.
//
// A [Chart] describes a picture once; gonum/plot draws it as SVG and PNG, ECharts shows
// it in the explorer, and a table below lists the same numbers.
//
// What it writes hangs on its input alone: no clock, no locale, no environment. A
// figure that is not defined is a dash with words on the terminal, null in JSON and
// an empty field in CSV. Names from a scenario are text: what could steer a terminal
// is escaped before it gets there.
//
// [WriteFile] puts any of it into a file whole, or leaves the old one.
package report
