package experiment

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Shard is a part of a sweep's cells: every Of-th, from the Index-th on, so that dear
// cells, which lie together, are dealt out. The zero Shard is the whole sweep.
type Shard struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`
}

const (
	mostShards = 1_000_000
	howToShard = "write I/N such as 1/4, slurm within a job array, or k8s/N within an indexed job"
)

var (
	plainShard      = regexp.MustCompile(`^([0-9]+)/([0-9]+)$`)
	kubernetesShard = regexp.MustCompile(`^k8s/([0-9]+)$`)
)

// ParseShard reads --shard: I/N, or what a cluster's environment says where that is asked
// for: slurm, by SLURM_ARRAY_TASK_ID and its kin, or k8s/N, by JOB_COMPLETION_INDEX.
func ParseShard(text string, environment func(string) (string, bool)) (Shard, error) {
	number := func(name string) (int, error) {
		value, given := environment(name)
		n, err := strconv.Atoi(value)
		switch {
		case !given:
			return 0, fmt.Errorf("--shard %s: there is no %s in the environment; %s", text, name, howToShard)
		case err != nil || n < 0:
			return 0, fmt.Errorf("--shard %s: %s is %q, and not a whole number", text, name, value)
		}
		return n, nil
	}
	var s Shard
	plain, k8s := plainShard.FindStringSubmatch(text), kubernetesShard.FindStringSubmatch(text)
	switch {
	case plain != nil:
		s.Index, s.Of = whole(plain[1]), whole(plain[2])
	case k8s != nil:
		index, err := number("JOB_COMPLETION_INDEX")
		if err != nil {
			return s, err
		}
		s.Index, s.Of = index+1, whole(k8s[1])
	case text == "slurm":
		id, err := number("SLURM_ARRAY_TASK_ID")
		if err != nil {
			return s, err
		}
		least, err := number("SLURM_ARRAY_TASK_MIN")
		if err != nil {
			return s, err
		}
		if s.Of, err = number("SLURM_ARRAY_TASK_COUNT"); err != nil {
			return s, err
		}
		if most, known := environment("SLURM_ARRAY_TASK_MAX"); known && most != strconv.Itoa(least+s.Of-1) {
			return s, fmt.Errorf("--shard slurm: the job array's %d numbers from %d to %s leave some out; write --array=%d-%d", s.Of, least, most, least, least+s.Of-1)
		}
		s.Index = id - least + 1
	case strings.HasPrefix(text, "k8s"):
		return s, fmt.Errorf("--shard %s: how many there are is not in the environment; write k8s/N, N being the job's completions", text)
	default:
		return s, fmt.Errorf("--shard %q: %s", text, howToShard)
	}
	switch {
	case s.Of < 1 || s.Of > mostShards:
		return s, fmt.Errorf("--shard %s: N is 1 to %d", text, mostShards)
	case s.Index < 1 || s.Index > s.Of:
		return s, fmt.Errorf("--shard %s: I is %d, and goes from 1 to %d", text, s.Index, s.Of)
	}
	return s, nil
}

func whole(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return mostShards + 1 // far too large
	}
	return n
}

// String is the shard as --shard takes it, "" for the whole.
func (s Shard) String() string {
	if s == (Shard{}) {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// first is the shard's first cell and step how far the next is.
func (s Shard) first() int { return max(0, s.Index-1) }
func (s Shard) step() int  { return max(1, s.Of) }

// cells is how many of so many cells are the shard's.
func (s Shard) cells(all int) int { return max(0, (all-s.first()+s.step()-1)/s.step()) }
