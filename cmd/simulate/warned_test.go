package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

// What has no effect is told by every verb that runs a scenario more than once, of the values that
// it concerns. Of three rows at 0, 60 and 120 s, one comes before 30 s, and all do at a speed of 5.
func TestManyRunsWarnToo(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"t.csv":  "time\n0\n60\n120\n",
		"s.yaml": "name: s\nstop: {after: 30s}\nclients: [{name: a, arrive: {trace: t.csv, speed: 1, columns: {time: time}}}]\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const cut = "warning: clients.0.arrive.trace: 2 of its 3 rows come after the run's end; write a later stop.after, a shorter slice, or a greater speed"
	for _, row := range []struct {
		says string
		args []string
		want string
	}{
		{"replicates", []string{"run", "s.yaml", "--seeds", "2"}, cut + "\n"},
		{"plan", []string{"plan", "s.yaml", "--find", "provider.seats", "--between", "1..3", "--slo", "success>=1", "--seeds", "2"}, cut + "\n"},
		{"one arm of two", []string{"compare", "s.yaml", "--vary", "clients.0.arrive.speed=1,5", "--seeds", "2"}, strings.Replace(cut, "clients", "clients.0.arrive.speed=1: clients", 1) + "\n"},
		{"two cells of four", []string{"sweep", "s.yaml", "--vary", "clients.0.arrive.speed=5,1", "--vary", "provider.seats=1,2", "--seeds", "2"}, cut + " (cell 2, clients.0.arrive.speed=1, provider.seats=1, and 1 more)\n"},
	} {
		_, _, stderr := call(context.Background(), append(row.args, "--out", "off")...)
		if strings.Count(stderr, "warning: ") != 1 || !strings.Contains(stderr, row.want) {
			t.Errorf("%s:\n%s\nwant\n%s", row.says, stderr, row.want)
		}
		_, _, quiet := call(context.Background(), append(row.args, "--out", "off", "--quiet")...)
		if strings.Contains(quiet, "warning") {
			t.Errorf("%s with --quiet: %s", row.says, quiet)
		}
	}
}
