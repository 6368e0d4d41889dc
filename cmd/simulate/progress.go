package main

import (
	"fmt"
	"io"
	"time"
)

// progress tells on stderr how far a long work is: on a terminal a line that is
// redrawn, elsewhere a plain line every five seconds; nothing for work that is
// soon over. Not safe for concurrent use.
type progress struct {
	w      io.Writer
	redraw bool
	what   string
	total  int
	began  time.Time
	told   time.Time
	drawn  bool
}

func (c command) progress(f *common, what string, total int) *progress {
	p := &progress{w: c.stderr, redraw: c.live, what: what, total: total, began: time.Now()}
	p.told = p.began
	if f.quiet {
		p.w = io.Discard
	}
	return p
}

func (p *progress) at(done int) {
	every := 5 * time.Second
	if p.redraw {
		every = 200 * time.Millisecond
	}
	now := time.Now()
	if now.Sub(p.told) < every {
		return
	}
	p.told = now
	left := time.Duration(float64(now.Sub(p.began)) / float64(done) * float64(p.total-done)).Round(time.Second)
	line := fmt.Sprintf("%d of %d %s, about %s left", done, p.total, p.what, left)
	if !p.redraw {
		fmt.Fprintln(p.w, line)
		return
	}
	fmt.Fprintf(p.w, "\r%s\x1b[K", line)
	p.drawn = true
}

// end takes the redrawn line away.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}
