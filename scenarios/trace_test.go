package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// beside writes a scenario of one group and a file beside it, and loads it.
func beside(t *testing.T, arrive, name, text string, set ...string) (*scenarios.Scenario, error) {
	t.Helper()
	dir := t.TempDir()
	if name != "" {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "s.yaml")
	if err := os.WriteFile(file, []byte("name: s\nclients:\n  - {arrive: "+arrive+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load(file, set...)
	if err != nil {
		err = fmt.Errorf("%s", strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	return s, err
}

func TestTracesAreRead(t *testing.T) {
	const s = time.Second
	mine := "{time: ts, input: in, output: out}"
	for _, test := range []struct {
		says, arrive, text string
		want               []model.TraceRow
	}{
		{
			"the Azure layout, its first row being at 0", "{trace: t.csv}",
			"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n",
			[]model.TraceRow{{At: 0, Input: 374, Output: 44}, {At: 4_314_579_000, Input: 396, Output: 109}},
		},
		{
			"that of 2024, with a zone", "{trace: t.csv, columns: azure}",
			"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,1,2\n2024-05-10 02:00:01.009930+02:00,3,4\n",
			[]model.TraceRow{{Input: 1, Output: 2}, {At: s, Input: 3, Output: 4}},
		},
		{
			"columns by name, in any order, beside others; seconds that do not begin at 0", "{trace: t.csv, columns: " + mine + "}",
			"out,model,ts,in\n7,gpt,100.5,10\n8,gpt,102,11\n",
			[]model.TraceRow{{Input: 10, Output: 7}, {At: 1500 * time.Millisecond, Input: 11, Output: 8}},
		},
		{
			"milliseconds, a mark at the beginning, carriage returns, whole numbers with .0", "{trace: t.csv, columns: {time: ts, input: in, unit: ms}}",
			"\xef\xbb\xbfts,in\r\n0,5.0\r\n250.25,6\r\n",
			[]model.TraceRow{{Input: 5}, {At: 250_250 * time.Microsecond, Input: 6}},
		},
		{
			"times alone, two at one instant", "{trace: t.csv, columns: {time: ts}}",
			"ts\n3\n3\n4\n",
			[]model.TraceRow{{}, {}, {At: s}},
		},
		{
			"a slice is half open, and begins at the group's at", "{trace: t.csv, columns: {time: ts}, slice: [1s, 3s]}",
			"ts\n0\n1\n2.999999999\n3\nnothing behind the slice is read\n",
			[]model.TraceRow{{}, {At: 2*s - s/1_000_000_000}},
		},
		{"what is finer than a nanosecond is cut off", "{trace: t.csv, columns: {time: ts}}", "ts\n0\n0.1234567899\n", []model.TraceRow{{}, {At: 123_456_789}}},
	} {
		got, err := beside(t, test.arrive, "t.csv", test.text)
		if err != nil {
			t.Errorf("%s: %v", test.says, err)
			continue
		}
		rows := got.Clients[0].Arrive.Playback.Rows
		if fmt.Sprint(rows) != fmt.Sprint(test.want) {
			t.Errorf("%s: %v, want %v", test.says, rows, test.want)
		}
	}
}

func TestTracesThatCannotBeRead(t *testing.T) {
	mine := "{trace: t.csv, columns: {time: ts, input: in, output: out}}"
	for _, test := range []struct{ says, arrive, text, want string }{
		{"an empty file", mine, "", "t.csv: clients.0.arrive.trace: is empty; its first line names the columns, such as ts,in,out"},
		{"a header alone", mine, "ts,in,out\n", `s.yaml:3:22: clients.0.arrive.trace: "t.csv" has no rows below its first line; there is nothing to replay`},
		{"a missing column", mine, "ts,inn,out\n1,2,3\n", `t.csv:1:1: clients.0.arrive.trace: there is no column "in"; did you mean inn?`},
		{"another layout", "{trace: t.csv}", "ts,in,out\n1,2,3\n", `t.csv:1:1: clients.0.arrive.trace: there is no column "TIMESTAMP"; its columns are "ts, in, out"`},
		{"a bad time", mine, "ts,in,out\n1,2,3\nsoon,2,3\n", `t.csv:3:1: clients.0.arrive.trace: ts: "soon" is no time; write a number such as 12.5, or a date-time such as 2023-11-16 18:15:46.68`},
		{"no time", mine, "ts,in,out\n,2,3\n", `t.csv:2:1: clients.0.arrive.trace: ts: has no value; write a number, or a date-time such as 2023-11-16 18:15:46.68`},
		{"a negative time", mine, "ts,in,out\n-1,2,3\n", `t.csv:2:1: clients.0.arrive.trace: ts: "-1" is negative; write 0 or more`},
		{"times out of order", mine, "ts,in,out\n2,2,3\n1,2,3\n", `t.csv:3:1: clients.0.arrive.trace: ts: "1" is earlier than the row above; sort the file by this column`},
		{"negative tokens", mine, "ts,in,out\n1,2,-3\n", `t.csv:2:5: clients.0.arrive.trace: out: -3 is negative; write 0 or more tokens`},
		{"tokens that are no number", mine, "ts,in,out\n1,many,3\n", `t.csv:2:3: clients.0.arrive.trace: in: "many" is no number of tokens; write a whole number such as 120`},
		{"too many tokens", mine, "ts,in,out\n1,3000000000,3\n", `t.csv:2:3: clients.0.arrive.trace: in: 3000000000 tokens are too many; write at most 2147483647`},
		{"a row that is cut short", mine, "ts,in,out\n1,2,3\n2\n", `t.csv:3:1: clients.0.arrive.trace: has more or fewer columns than the first line; write one value for each`},
		{"a quotation mark that is not closed", mine, "ts,in,out\n\"1,2,3\n", `t.csv:2:8: clients.0.arrive.trace: is no CSV: extraneous or missing " in quoted-field`},
		{"a file that is not there", "{trace: u.csv}", "", `s.yaml:3:22: clients.0.arrive.trace: there is no file "u.csv"; write a path from the folder of the scenario`},
		{"one that comes with Stampede, misspelled", "{trace: azure-con.csv}", "", `s.yaml:3:22: clients.0.arrive.trace: there is no file "azure-con.csv"; did you mean azure-conv.csv?`},
		{"a folder", "{trace: .}", "", `s.yaml:3:22: clients.0.arrive.trace: "." is no file; name a CSV file`},
		{"a device", "{trace: /dev/zero}", "", `s.yaml:3:22: clients.0.arrive.trace: "/dev/zero" is no file; name a CSV file`},
		{"a slice after the end", "{trace: t.csv, columns: {time: ts}, slice: [10s, 20s]}", "ts\n0\n5\n", `s.yaml:3:50: clients.0.arrive.slice: holds no row of "t.csv", whose last comes after 5s; write an earlier one`},
		{"a slice upside down", "{trace: t.csv, slice: [20s, 10s]}", "", `s.yaml:3:29: clients.0.arrive.slice: runs from 20s to 10s, so nothing is in it; write a later end`},
		{"a layout that is not known", "{trace: t.csv, columns: azur}", "", `s.yaml:3:38: clients.0.arrive.columns: "azur" is not one of azure; did you mean azure?`},
		{"columns without the time", "{trace: t.csv, columns: {input: in}}", "", `s.yaml:3:38: clients.0.arrive.columns.time: is missing; write time: timestamp`},
		{"a rate beside a trace", "{trace: t.csv, rate: 5/s}", "", `s.yaml:3:22: clients.0.arrive.trace: has the arrivals that the rate would make up; remove one of them`},
		{"a speed without a trace", "{speed: 2}", "", `s.yaml:3:22: clients.0.arrive.speed: has no effect without a trace; write trace: azure-conv.csv, or remove it`},
		{"a ramp without steps", "{rate: 5/s, ramp: true}", "", `s.yaml:3:32: clients.0.arrive.ramp: has no effect without steps of a rate; write rate: {0s: 5/s, 1m: 20/s}, or remove it`},
		{"a process without a rate", "{over: 5s, process: poisson}", "", `s.yaml:3:34: clients.0.arrive.process: has no effect without a rate; write rate: 5/s, or over: 20s for clients that start at random instants`},
		{"a cv of nothing", "{rate: 5/s, process: {gamma: {cv: 0}}}", "", `s.yaml:3:48: clients.0.arrive.process.gamma.cv: "0" is out of range; write 0.01 to 100`},
	} {
		_, err := beside(t, test.arrive, "t.csv", test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n%v\nwant\n%s", test.says, err, test.want)
		}
	}
}

func TestTracesThatAreTooLong(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "t.csv")
	if err := os.WriteFile(file, []byte("ts\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 256<<20+1); err != nil {
		t.Fatal(err)
	}
	_, err := scenarios.Decode(filepath.Join(dir, "s.yaml"), []byte("name: s\nclients: [{arrive: {trace: t.csv}}]\n"))
	if err == nil || !strings.HasSuffix(err.Error(), `s.yaml:2:28: clients.0.arrive.trace: "t.csv" is larger than 256 MB; cut it shorter`) {
		t.Error(err)
	}
}

// A file beside the scenario wins over one of that name which comes with Stampede, but not
// for a built-in scenario; overrides name files as the scenario does.
func TestWhereTracesAreLookedFor(t *testing.T) {
	const three = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,1,1\n2023-11-16 18:15:47,1,1\n2023-11-16 18:15:48,1,1\n"
	rows := func(s *scenarios.Scenario, err error) int {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Clients[0].Arrive.Playback.Rows)
	}
	if n := rows(beside(t, "{trace: azure-conv.csv}", "azure-conv.csv", three)); n != 3 {
		t.Errorf("%d rows of the file beside the scenario, want 3", n)
	}
	if n := rows(beside(t, "{trace: azure-conv.csv}", "", "")); n != 5985 {
		t.Errorf("%d rows of the trace that comes with Stampede, want 5,985", n)
	}
	if n := rows(beside(t, "{rate: 5/s}", "mine.csv", three, "clients.0.arrive={trace: mine.csv, over_clients: 2}")); n != 3 {
		t.Errorf("%d rows of the trace of an override, want 3", n)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("azure-conv.csv", []byte(three), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := rows(scenarios.Load("azure-conv")); n != 5985 {
		t.Errorf("%d rows of the built-in scenario's trace, want 5,985", n)
	}
}

// Sizes come from the trace, input and output of one row together, but for those that the
// request says itself.
func TestSizesOfATrace(t *testing.T) {
	const text = "ts,in,out\n0,10,1\n1,20,2\n2,30,3\n3,40,4\n"
	for _, test := range []struct {
		says, columns, request string
		want                   [4][2]int64
	}{
		{"both from the trace", "input: in, output: out", "{}", [4][2]int64{{10, 1}, {20, 2}, {30, 3}, {40, 4}}},
		{"the request's own input", "input: in, output: out", "{input_tokens: 7}", [4][2]int64{{7, 1}, {7, 2}, {7, 3}, {7, 4}}},
		{"the request's own output, though it is what it would be anyway", "input: in, output: out", "{output_tokens: 1}", [4][2]int64{{10, 1}, {20, 1}, {30, 1}, {40, 1}}},
		{"a trace without sizes", "unit: s", "{input_tokens: 7}", [4][2]int64{{7, 1}, {7, 1}, {7, 1}, {7, 1}}},
	} {
		for _, over := range []string{"", ", over_clients: 3"} {
			s, err := beside(t, "{trace: t.csv, columns: {time: ts, "+test.columns+"}"+over+"}, request: "+test.request, "t.csv", text)
			if err != nil {
				t.Fatalf("%s: %v", test.says, err)
			}
			crowd, err := s.Crowd()
			if err != nil {
				t.Fatal(err)
			}
			co := &crowd.Cohorts[0]
			for row, want := range test.want {
				client, operation := int32(row), int32(0)
				if over != "" {
					client, operation = int32(row)%3, int32(row)/3
				}
				key := model.OperationKey(model.ClientKey(1, co.Name, int(client)), int(operation))
				q := co.Draws.RequestOfRow(key, 0, co.Row(client, operation))
				if got := [2]int64{q.Input, q.Output}; got != want {
					t.Errorf("%s%s: row %d asks for %v, want %v", test.says, over, row, got, want)
				}
			}
		}
	}
}

func TestEmpiricalDistributions(t *testing.T) {
	group := func(key, source string) string {
		return "{}, network: {one_way: 0}, " + key + ": " + source
	}
	for _, test := range []struct{ says, key, source, text, want string }{
		{"tokens", "request", "{input_tokens: {empirical: t.csv#n}}", "n\n5\n3\n", ""},
		{"times with their units", "repeat", "{gap: {empirical: t.csv#wait}}", "wait\n250ms\n1.5s\n", ""},
		{"plain numbers in a column that says their unit", "repeat", "{gap: {empirical: t.csv#wait_ms}}", "wait_ms\n250.5\n", ""},
		{"inside of a sum", "repeat", "{gap: {sum: [1s, {empirical: t.csv#wait_ms}]}}", "wait_ms\n250.5\n", ""},
		{"no column", "request", "{input_tokens: {empirical: t.csv}}", "n\n", `s.yaml:3:77: clients.0.request.input_tokens.empirical: "t.csv" names no column; write FILE.csv#COLUMN, such as azure-conv.csv#ContextTokens`},
		{"a column that is not there", "request", "{input_tokens: {empirical: t.csv#m}}", "number,x\n1,2\n", `t.csv:1:1: clients.0.request.input_tokens.empirical: there is no column "m"; its columns are "number, x"`},
		{"no rows", "request", "{input_tokens: {empirical: t.csv#n}}", "n\n", `s.yaml:3:77: clients.0.request.input_tokens.empirical: "t.csv" has no rows below its first line; a distribution needs one at least`},
		{"a text of two hundred characters", "repeat", "{gap: {empirical: t.csv#wait}}", "wait\n" + strings.Repeat("x", 200) + "\n", `t.csv:2:1: clients.0.repeat.gap.empirical: wait: "` + strings.Repeat("x", 37) + `..." is no time; write one such as 250ms`},
		{"a time without a unit", "repeat", "{gap: {empirical: t.csv#wait}}", "wait\n250\n", `t.csv:2:1: clients.0.repeat.gap.empirical: wait: "250" has no unit; write 250ms, or name the column with its unit, such as wait_ms`},
		{"negative tokens", "request", "{input_tokens: {empirical: t.csv#n}}", "n\n-5\n", `t.csv:2:1: clients.0.request.input_tokens.empirical: n: -5 is negative; write 0 or more tokens`},
	} {
		_, err := beside(t, group(test.key, test.source), "t.csv", test.text)
		if got := fmt.Sprint(err); err != nil && got != test.want || err == nil && test.want != "" {
			t.Errorf("%s:\n%s\nwant\n%s", test.says, got, test.want)
		}
	}
	s, err := beside(t, group("request", "{input_tokens: {empirical: t.csv#n}}"), "t.csv", "n\n5\n3\n9\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Clients[0].Request.InputTokens.Values); got != "[3 5 9]" {
		t.Errorf("values %s, want them in order", got)
	}
}
