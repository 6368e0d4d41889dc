package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/model"
)

func TestSlots(t *testing.T) {
	h := newHandMade("none")
	h.send(0, 3, false)
	h.Level(10*ms, 2, 1)
	h.Refused(20 * ms)
	h.send(149*ms, 1, true)
	h.Admitted(150 * ms)
	h.Level(150*ms, 0, 0)
	h.close(150*ms, 0)
	var b bytes.Buffer
	if err := Slots(&b, h.Tally); err != nil {
		t.Fatal(err)
	}
	const want = `slot,start_s,first_attempts,retries,accepted,rejected,in_flight,queued
0,0,3,0,0,1,2,1
1,0.05,0,0,0,0,2,1
2,0.1,0,1,0,0,2,1
3,0.15,0,0,1,0,0,0
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

func TestSlotsOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := Slots(&b, nothing("none").Tally); err != nil {
		t.Fatal(err)
	}
	if b.String() != slotsHeader {
		t.Errorf("got %q, want the header alone", &b)
	}
}

func TestSlotsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		var b bytes.Buffer
		if err := Slots(&b, run.Tally); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != run.Tally.Slots()+1 {
			t.Fatalf("%d rows for %d slots", len(rows)-1, run.Tally.Slots())
		}
		var sent, rejected int64
		for i, row := range rows[1:] {
			start, err := strconv.ParseFloat(row[1], 64)
			if err != nil || start != (time.Duration(i)*run.Tally.SlotWidth()).Seconds() {
				t.Fatalf("slot %d starts at %s", i, row[1])
			}
			for column, sum := range map[int]*int64{2: &sent, 3: &sent, 5: &rejected} {
				n, err := strconv.ParseInt(row[column], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				*sum += n
			}
		}
		if a := run.Summary.Attempts; run.Tally.Slots() > 0 && (sent != a.Total || rejected != a.Rejected) {
			t.Errorf("the rows add up to %d sent, %d rejected; the tally has %d and %d", sent, rejected, a.Total, a.Rejected)
		}
	})
}

func TestDocument(t *testing.T) {
	var b bytes.Buffer
	v := struct {
		Says string       `json:"says"`
		Wall model.Number `json:"wall_s"`
		Mean model.Number `json:"mean"`
	}{"success < 1 & <b>", model.Undefined(), 2.5}
	if err := Document(&b, v); err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"says\": \"success < 1 & <b>\",\n  \"wall_s\": null,\n  \"mean\": 2.5\n}\n"; b.String() != want {
		t.Errorf("got %q, want %q", &b, want)
	}
}

func TestDocumentOfAnySummary(t *testing.T) {
	for _, run := range []Run{nothing("a"), allRefused("a"), cutShort("a"), onlyOne("a"), mixed("a")} {
		var once, twice bytes.Buffer
		if err := errors.Join(Document(&once, run.Summary), Document(&twice, run.Summary)); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(once.Bytes()) || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("not JSON, or not the same twice:\n%s\n%s", &once, &twice)
		}
	}
}

func TestWriteFile(t *testing.T) {
	broken := errors.New("disk full")
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello\n"); return err }
	for _, c := range []struct {
		says  string
		old   string // "" for no old file
		write func(io.Writer) error
		want  string // "" for no file
		fails bool
	}{
		{"a new file", "", hello, "hello\n", false},
		{"an old file is replaced", "old, and longer\n", hello, "hello\n", false},
		{"an old file outlives a writer that fails", "old\n", func(w io.Writer) error { return errors.Join(hello(w), broken) }, "old\n", true},
		{"a writer that fails makes no file", "", func(io.Writer) error { return fmt.Errorf("slots: %w", broken) }, "", true},
	} {
		t.Run(c.says, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out", "herd-100")
			path := filepath.Join(dir, "slots.csv")
			if c.old != "" {
				if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(path, []byte(c.old), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			err := WriteFile(path, c.write)
			if c.fails != errors.Is(err, broken) || err != nil && !strings.HasPrefix(err.Error(), "writing "+path+": ") {
				t.Errorf("error %v", err)
			}
			if got, _ := os.ReadFile(path); string(got) != c.want {
				t.Errorf("the file holds %q, want %q", got, c.want)
			}
			files, _ := os.ReadDir(dir)
			if (len(files) == 1) != (c.want != "") || len(files) > 1 {
				t.Errorf("the folder holds %v", files)
			}
		})
	}
}

func TestWriteFileLeavesNothingAfterAPanic(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		_ = WriteFile(filepath.Join(dir, "a"), func(io.Writer) error { panic("a bug") })
	}()
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("the folder holds %v", files)
	}
}

func TestWriteFileInTheWay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	link := filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o644), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	nothing := func(io.Writer) error { return nil }
	if err := WriteFile(dir, nothing); err == nil {
		t.Error("wrote over a folder")
	}
	if err := WriteFile(filepath.Join(file, "below"), nothing); err == nil {
		t.Error("made a folder of a file")
	}
	if err := WriteFile(os.DevNull, nothing); err != nil {
		t.Error(err)
	}
	if err := WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(file); string(got) != "new" {
		t.Errorf("behind the link stands %q", got)
	}
}
