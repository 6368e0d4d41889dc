package report

import (
	"bytes"
	"testing"

	"github.com/stampede-sim/stampede/model"
)

func TestReplicates(t *testing.T) {
	null := model.Undefined()
	figures := []Figure{
		{"wall", InSeconds, Stats{50, 221.4, 225.6, 185.6, 245.7, [2]model.Number{214.9, 227.9}}},
		{"attempts", InNumbers, Stats{50, 884.26, 876, 740, 1021, [2]model.Number{870.1, 898.4}}},
		{"success", InPercent, Stats{50, 0.9876, 1, 0.9, 1, [2]model.Number{0.97, 1}}},
		{"p99_latency", InSeconds, Stats{1, 2.5, 2.5, 2.5, 2.5, [2]model.Number{null, null}}},
		{"p50_latency", InSeconds, Stats{0, null, null, null, null, [2]model.Number{null, null}}},
	}
	for file, style := range map[string]Style{"replicates.txt": {}, "replicates-narrow.txt": {Width: 64}} {
		var b bytes.Buffer
		if err := Replicates(&b, style, "naive, 50 seeds from 1", figures); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.Bytes())
	}
}
