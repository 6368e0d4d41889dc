package policies

import (
	"testing"
	"time"
)

func TestRateText(t *testing.T) {
	tests := []struct {
		text string
		want Rate
	}{
		{"20/s", Rate{20, time.Second}},
		{"0.5/s", Rate{5, 10 * time.Second}},
		{"500/min", Rate{500, time.Minute}},
		{"0.08/s", Rate{8, 100 * time.Second}},
		{"1000/d", Rate{1000, 24 * time.Hour}},
		{"0/s", Rate{0, time.Second}},
	}
	for _, test := range tests {
		var r Rate
		if err := r.UnmarshalText([]byte(test.text)); err != nil || r != test.want {
			t.Errorf("%s is read as %+v (%v), want %+v", test.text, r, err, test.want)
		}
		if r.String() != test.text {
			t.Errorf("%s is written back as %s", test.text, r)
		}
	}
	var tens Rate
	if err := tens.UnmarshalText([]byte("2.50/s")); err != nil || tens != (Rate{25, 10 * time.Second}) {
		t.Errorf("2.50/s is read as %+v (%v)", tens, err)
	}
	for _, bad := range []string{"", "20", "20/", "/s", "20/m", "20/sec", "-1/s", "1e3/s", "NaN/s", "inf/s", "1./s", "20 /s", "1_000/s", "99999999999999999999/s", "0.00000000000000001/d"} {
		if err := tens.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, tens)
		}
	}
}

func TestRateTime(t *testing.T) {
	tests := []struct {
		says string
		of   Rate
		n    int64
		want time.Duration
	}{
		{"five at 20/s take a quarter of a second", Rate{20, time.Second}, 5, 250 * ms},
		{"a third is rounded up to the nanosecond", Rate{3, time.Second}, 1, 333_333_334},
		{"none take no time", Rate{3, time.Second}, 0, 0},
		{"nothing comes at a rate of 0", Rate{0, time.Second}, 1, Never},
		{"a product over 64 bits is exact", Rate{1_000_000_007, 24 * time.Hour}, 1_000_000_007_000, 86_400_000 * time.Second},
		{"beyond time's end is never", Rate{1, 24 * time.Hour}, 1 << 50, Never},
	}
	for _, test := range tests {
		if got := test.of.Time(test.n); got != test.want {
			t.Errorf("%s: %v, want %v", test.says, got, test.want)
		}
	}
}
