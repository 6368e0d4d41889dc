package live

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
)

type failing struct{ error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Err: f.error}
}

// A machine that opens no more connections ends the run, which says what it takes, and its requests
// are no failures of the server's; what a server does to connections is.
func TestMachineWithoutFiles(t *testing.T) {
	c := decode(t, "name: files\nstop: {when: horizon, after: 1m}\nclients: [{count: 150, policy: none}]\n")
	for _, row := range []struct {
		says  string
		fails error
		stuck bool
	}{
		{"no more files of this process", os.NewSyscallError("socket", syscall.EMFILE), true},
		{"no more of all processes", os.NewSyscallError("socket", syscall.ENFILE), true},
		{"none to look the server's name up", &net.DNSError{Err: "dial udp: socket: too many open files"}, true},
		{"nobody is there", os.NewSyscallError("connect", syscall.ECONNREFUSED), false},
		{"a name that is not known", &net.DNSError{Err: "no such host", IsNotFound: true}, false},
	} {
		bubble(t, func(t *testing.T) {
			books := NewClientsBooks(c, clock.New())
			fleet, err := NewFleet(c, 1, books)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			err = fleet.Run(t.Context(), failing{row.fails}, "http://stampede")
			var stuck StuckError
			if errors.As(err, &stuck) != row.stuck || row.stuck && (!strings.Contains(err.Error(), "`ulimit -n 400`") || time.Since(start) > 0) {
				t.Errorf("%s: %v after %v", row.says, err, time.Since(start))
			}
			if a := model.Summarise(books.Close()).Attempts; (a.Errored > 0) == row.stuck {
				t.Errorf("%s: %+v", row.says, a)
			}
		})
	}
}
