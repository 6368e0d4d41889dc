package live

import (
	"fmt"
	"strings"
	"testing"
)

// Who sends all requests at once, without waiting for the answers, gets them one after the other.
func TestPipelinedRequests(t *testing.T) {
	c := chapterConfig(1, "none")
	bubble(t, func(t *testing.T) {
		s := openServed(t, c, false)
		defer s.close()
		conn, said := s.guest()
		var all strings.Builder
		for i := range 10 {
			fmt.Fprintf(&all, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n", path, len(ask))
			if i == 9 {
				all.WriteString("Connection: close\r\n")
			}
			all.WriteString("\r\n" + ask)
		}
		go fmt.Fprint(conn, all.String())
		text := <-said
		conn.Close()
		if n := strings.Count(text, "HTTP/1.1 200 OK\r\n"); n != 10 || strings.Contains(text, "408") {
			t.Errorf("%d answers of 10:\n%s", n, text)
		}
	})
}
