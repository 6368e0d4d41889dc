package scenarios_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func presetNamed(t *testing.T, name string) scenarios.Preset {
	t.Helper()
	all := scenarios.Presets()
	i := slices.IndexFunc(all, func(p scenarios.Preset) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("there is no preset %s", name)
	}
	return all[i]
}

// The tables of tiers, as the facts page has them.
func TestPresetTiers(t *testing.T) {
	const (
		k, m  = 1_000, 1_000_000
		s, d  = time.Second, 24 * time.Hour
		min   = time.Minute
		reqs  = model.LimitRequests
		toks  = model.LimitTokens
		in    = model.LimitInputTokens
		out   = model.LimitOutputTokens
		slots = model.LimitConcurrency
	)
	type limit struct {
		axis  model.LimitAxis
		limit int64
		per   time.Duration
	}
	rpmTPM := func(rpm, tpm int64) []limit { return []limit{{reqs, rpm, min}, {toks, tpm, min}} }
	ins := func(rpm, itpm, otpm int64) []limit {
		return []limit{{reqs, rpm, min}, {in, itpm, min}, {out, otpm, min}}
	}
	gemini := func(rpm, tpm, rpd int64) []limit {
		return []limit{{reqs, rpm, min}, {in, tpm, min}, {reqs, rpd, d}}
	}
	groq := func(rpm, rpd, tpm, tpd int64) []limit {
		return []limit{{reqs, rpm, min}, {toks, tpm, min}, {reqs, rpd, d}, {toks, tpd, d}}
	}
	rows := []struct {
		names string // of presets that have these limits
		want  []limit
	}{
		{"openai/gpt-5.4/tier-1 openai/gpt-5.5/tier-1 openai/gpt-5.6-luna/tier-1", rpmTPM(500, 500*k)},
		{"openai/gpt-5.4/tier-2 openai/gpt-5.5/tier-2", rpmTPM(5000, 1*m)},
		{"openai/gpt-5.4/tier-3 openai/gpt-5.5/tier-3", rpmTPM(5000, 2*m)},
		{"openai/gpt-5.4/tier-4 openai/gpt-5.5/tier-4", rpmTPM(10000, 4*m)},
		{"openai/gpt-5.4/tier-5 openai/gpt-5.5/tier-5", rpmTPM(15000, 40*m)},
		{"openai/gpt-5.4-long/tier-1 openai/gpt-5.5-long/tier-1", rpmTPM(200, 400*k)},
		{"openai/gpt-5.4-long/tier-5 openai/gpt-5.5-long/tier-5", rpmTPM(8000, 20*m)},
		{"openai/gpt-5.6-luna/tier-2", rpmTPM(5000, 2*m)},
		{"openai/gpt-5.6-luna/tier-3", rpmTPM(5000, 4*m)},
		{"openai/gpt-5.6-luna/tier-4", rpmTPM(10000, 10*m)},
		{"openai/gpt-5.6-luna/tier-5", rpmTPM(30000, 180*m)},
		{"openai/gpt-4o/tier-1 openai/gpt-5.2-pro/tier-1", rpmTPM(500, 30*k)},
		{"openai/gpt-4o/tier-2 openai/gpt-5.2-pro/tier-2", rpmTPM(5000, 450*k)},
		{"openai/gpt-4o/tier-3 openai/gpt-5.2-pro/tier-3", rpmTPM(5000, 800*k)},
		{"openai/gpt-4o/tier-4 openai/gpt-5.2-pro/tier-4", rpmTPM(10000, 2*m)},
		{"openai/gpt-4o/tier-5 openai/gpt-5.2-pro/tier-5", rpmTPM(10000, 30*m)},
		{"openai/gpt-4o-mini/tier-1", append(rpmTPM(500, 200*k), limit{reqs, 10 * k, d})},
		{"openai/gpt-4o-mini/tier-4", rpmTPM(10000, 10*m)},
		{"openai/gpt-4.1-mini/tier-5", rpmTPM(30000, 150*m)},

		// 6 RPM per 1,000 TPM; 1 per 6,000; 1 per 1,000; 1 per 10,000.
		{"azure/gpt-4o/documented azure/gpt-4/documented azure/gpt-3.5-turbo/documented", rpmTPM(60, 10*k)},
		{"azure/o1/documented", rpmTPM(10, 60*k)},
		{"azure/o3/documented azure/o4-mini/documented", rpmTPM(60, 60*k)},
		{"azure/o3-mini/documented azure/o1-mini/documented azure/o3-pro/documented", rpmTPM(60, 600*k)},
		{"azure/gpt-4o/measured azure/gpt-4/measured azure/gpt-3.5-turbo/measured", []limit{{reqs, 10, 10 * s}, {toks, 10 * k, min}}},

		{"anthropic/sonnet-4/tier-1 anthropic/opus-4/tier-1 anthropic/sonnet-4/tier-1/old-output anthropic/opus-4/tier-1/old-output", ins(50, 30*k, 8*k)},
		{"anthropic/sonnet-4/tier-2 anthropic/opus-4/tier-2 anthropic/haiku-4.5/tier-2 anthropic/sonnet-4/tier-2/old-output anthropic/opus-4/tier-2/old-output anthropic/haiku-4.5/tier-2/old-output", ins(1000, 450*k, 90*k)},
		{"anthropic/sonnet-4/tier-3 anthropic/opus-4/tier-3 anthropic/sonnet-4/tier-3/old-output anthropic/opus-4/tier-3/old-output", ins(2000, 800*k, 160*k)},
		{"anthropic/sonnet-4/tier-4 anthropic/opus-4/tier-4 anthropic/sonnet-4/tier-4/old-output anthropic/opus-4/tier-4/old-output", ins(4000, 2*m, 400*k)},
		{"anthropic/haiku-4.5/tier-1 anthropic/haiku-4.5/tier-1/old-output", ins(50, 50*k, 10*k)},
		{"anthropic/haiku-4.5/tier-3 anthropic/haiku-4.5/tier-3/old-output", ins(2000, 1*m, 200*k)},
		{"anthropic/haiku-4.5/tier-4 anthropic/haiku-4.5/tier-4/old-output", ins(4000, 4*m, 800*k)},
		{"anthropic/sonnet-4/start anthropic/opus-4/start anthropic/haiku-4.5/start", ins(1000, 2*m, 400*k)},
		{"anthropic/fable-5/start", ins(1000, 500*k, 100*k)},
		{"anthropic/opus-4/scale anthropic/sonnet-5.5/scale", ins(10000, 10*m, 2*m)},

		{"gemini/2.5-pro/free", gemini(5, 250*k, 100)},
		{"gemini/2.5-flash/free", gemini(10, 250*k, 250)},
		{"gemini/2.5-flash-lite/free", gemini(15, 250*k, 1000)},
		{"gemini/2.5-pro/tier-1", gemini(150, 2*m, 10*k)},
		{"gemini/2.5-flash/tier-1", gemini(1000, 1*m, 10*k)},
		{"gemini/2.5-flash-lite/tier-1", []limit{{reqs, 4000, min}, {in, 4 * m, min}}},
		{"gemini/2.5-flash/tier-3", []limit{{reqs, 10000, min}, {in, 8 * m, min}}},

		{"groq/llama-3.3-70b/free", groq(30, 1000, 12*k, 100*k)},
		{"groq/llama-3.1-8b/free", groq(30, 14400, 6*k, 500*k)},
		{"groq/gpt-oss-120b/free", groq(30, 1000, 8*k, 200*k)},
		{"groq/qwen3-32b/free", groq(60, 1000, 6*k, 500*k)},

		{"mistral/free", []limit{{reqs, 1, s}, {toks, 500 * k, min}, {toks, 1000 * m, 30 * d}}},
		{"deepseek/500-slots", []limit{{slots, 500, 0}}},
		{"deepseek/2500-slots", []limit{{slots, 2500, 0}}},
	}
	tested := 0
	for _, row := range rows {
		for name := range strings.FieldsSeq(row.names) {
			tested++
			var got []limit
			for _, l := range presetNamed(t, name).Provider.Limits {
				got = append(got, limit{l.Axis, l.Limit, l.Per})
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%s: %v, want %v", name, got, row.want)
			}
		}
	}
	if all := len(scenarios.Presets()); tested != all {
		t.Errorf("%d presets are in the table, and there are %d", tested, all)
	}
}

// How each family counts, from section 1 of the facts page.
func TestPresetRules(t *testing.T) {
	const h, ms, body = model.SecondsFormat, model.MillisFormat, model.BodyFormat
	rows := []struct {
		says, name string
		flavour    model.Flavour
		status     model.RefusalStatus // of a full house
		exact      bool                // the hint
		formats    []model.HintFormat
		limits     []string // algorithm, charge, refused ones, settled
	}{
		{"OpenAI: buckets; refused requests count; max(max_tokens, characters)", "openai/gpt-4o/tier-1", model.OpenAIFlavour, 503, true, []model.HintFormat{h, ms, body}, []string{"bucket charged", "bucket chars/4 max max_tokens free never"}},
		{"Azure as documented: a fixed minute", "azure/gpt-4o/documented", model.AzureFlavour, 429, true, []model.HintFormat{h, ms, body}, []string{"fixed-window charged", "fixed-window chars/4 sum max_tokens free never"}},
		{"Azure as measured: sliding logs; refused calls enter the first", "azure/gpt-4o/measured", model.AzureFlavour, 429, true, []model.HintFormat{h, ms, body}, []string{"sliding-log charged", "sliding-log azure sum max_tokens free never"}},
		{"Azure, gpt-3.5-turbo: the prompt is ignored", "azure/gpt-3.5-turbo/measured", model.AzureFlavour, 429, true, []model.HintFormat{h, ms, body}, []string{"sliding-log charged", "sliding-log none  max_tokens free never"}},
		{"Anthropic: output as generated; whole seconds", "anthropic/sonnet-4/tier-1", model.AnthropicFlavour, 529, true, []model.HintFormat{h}, []string{"bucket free", "bucket uncached   free never", "bucket   as-generated free never"}},
		{"Anthropic before: output reserved, corrected at the end; no hint", "anthropic/sonnet-4/tier-1/old-output", model.AnthropicFlavour, 529, false, []model.HintFormat{h}, []string{"bucket free", "bucket uncached   free never", "bucket   max_tokens free completion"}},
		{"Gemini: input alone; the hint in the body alone", "gemini/2.5-flash/free", model.GeminiFlavour, 503, true, []model.HintFormat{body}, []string{"fixed-window free", "fixed-window actual   free never", "fixed-window free"}},
		{"Groq: cached input is free, a refused request charges no tokens", "groq/llama-3.3-70b/free", model.GroqFlavour, 503, true, []model.HintFormat{h, body}, []string{"bucket free", "bucket uncached sum max_tokens free never", "bucket free", "bucket uncached sum max_tokens free never"}},
		{"Mistral: retries count", "mistral/free", model.MistralFlavour, 503, true, []model.HintFormat{h}, []string{"bucket charged", "bucket actual sum max_tokens free completion", "fixed-window actual sum max_tokens free completion"}},
		{"DeepSeek: slots, no hint", "deepseek/500-slots", model.DeepSeekFlavour, 503, false, []model.HintFormat{h}, []string{" "}},
	}
	for _, row := range rows {
		p := presetNamed(t, row.name).Provider
		var limits []string
		for _, l := range p.Limits {
			text := fmt.Sprintf("%s %s", l.Algorithm, l.Rejected)
			if l.Axis != model.LimitRequests && l.Axis != model.LimitConcurrency {
				text = fmt.Sprintf("%s %s %s %s %s %s", l.Algorithm, l.Charge.Input, l.Charge.Combine, l.Charge.Output, l.Rejected, l.Settle)
			}
			limits = append(limits, text)
		}
		if p.Flavour != row.flavour || p.Refuses.Status != row.status || p.Hint.RetryAfter.Exact != row.exact || !slices.Equal(p.Hint.Format, row.formats) {
			t.Errorf("%s: flavour %s, status %d, hint %+v", row.says, p.Flavour, p.Refuses.Status, p.Hint)
		}
		if !slices.Equal(limits, row.limits) {
			t.Errorf("%s: %q, want %q", row.says, limits, row.limits)
		}
	}
	unset := func(name string) model.Unset { return presetNamed(t, name).Provider.Limits[1].Charge.Unset }
	if u := unset("azure/gpt-4o/measured"); u != (model.Unset{Given: true, Tokens: 640}) {
		t.Errorf("gpt-4o without max_tokens costs %+v, want 640", u)
	}
	if u := unset("azure/gpt-3.5-turbo/measured"); u != (model.Unset{Given: true, Tokens: 16}) {
		t.Errorf("gpt-3.5-turbo without max_tokens costs %+v, want 16", u)
	}
}

// Every file of presets is listed.
func TestEveryPresetFileIsListed(t *testing.T) {
	files, err := filepath.Glob("presets/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	families := map[string]bool{}
	for _, p := range scenarios.Presets() {
		family, _, _ := strings.Cut(p.Name, "/")
		families["presets/"+family+".yaml"] = true
	}
	for _, f := range files {
		if !families[filepath.ToSlash(f)] {
			t.Errorf("no preset of %s is listed", f)
		}
	}
}

// Every preset is dated, sourced and graded, and a small load gets through it.
func TestEveryPresetRuns(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range scenarios.Presets() {
		if id := p.Name + "@" + p.Date; seen[id] {
			t.Errorf("%s is there twice", id)
		} else {
			seen[id] = true
		}
		if p.Date == "" || p.Source == "" || !strings.Contains("DTOIU", p.Grade) || len(p.Grade) != 1 {
			t.Errorf("%s: of %q, from %q, graded %q", p.Name, p.Date, p.Source, p.Grade)
		}
		for _, name := range []string{p.Name, p.Name + "@" + p.Date} {
			s, err := scenarios.Decode("x.yaml", []byte("name: x\nprovider: {preset: "+name+", service: {first_token: 100ms}}\n"+
				"clients: [{count: 3, request: {input_tokens: 100, output_tokens: 20, max_tokens: 50}, policy: full-jitter}]\n"))
			if err != nil {
				t.Error(err)
				continue
			}
			if s.Provider.Preset != name || !reflect.DeepEqual(s.Provider.Limits, p.Provider.Limits) {
				t.Errorf("%s: the scenario has limits %+v, the preset %+v", name, s.Provider.Limits, p.Provider.Limits)
			}
			if sum := run(t, s, 1); sum.Operations.Succeeded != 3 {
				t.Errorf("%s: %d of 3 succeeded", name, sum.Operations.Succeeded)
			}
		}
	}
}

func TestPresetOverrides(t *testing.T) {
	const tail = "clients: [{count: 1}]\n"
	type get = func(*scenarios.Scenario) any
	limit := func(i int) get { return func(s *scenarios.Scenario) any { return s.Provider.Limits[i].Limit } }
	limits := func(s *scenarios.Scenario) any { return len(s.Provider.Limits) }
	rows := []struct {
		says, provider string
		set            []string
		get            get
		want           any
	}{
		{"a preset's limits are those of its table", "{preset: openai/gpt-4o/tier-1}", nil, limit(1), int64(30_000)},
		{"a key beside the preset wins", "{preset: openai/gpt-4o/tier-1, seats: 5}", nil, func(s *scenarios.Scenario) any { return s.Provider.Seats }, policies.Count(5)},
		{"also one that the preset has", "{preset: openai/gpt-4o/tier-1, refuses: {status: 529}}", nil, func(s *scenarios.Scenario) any { return s.Provider.Refuses.Status }, model.RefusalStatus(529)},
		{"a list is replaced whole", "{preset: openai/gpt-4o/tier-1, limits: [{axis: requests, limit: 7, per: 1s}]}", nil, limits, 1},
		{"and may be empty", "{preset: openai/gpt-4o/tier-1, limits: []}", nil, limits, 0},
		{"a part of a mapping leaves the rest as the preset has it", "{preset: openai/gpt-4o/tier-1, hint: {late: 1s}}", nil, func(s *scenarios.Scenario) any { return s.Provider.Hint.RetryAfter.Exact }, true},
		{"whichever stands first", "{hint: {late: 1s}, preset: openai/gpt-4o/tier-1}", nil, func(s *scenarios.Scenario) any { return len(s.Provider.Hint.Format) }, 3},
		{"--set reaches into a preset's list", "{preset: openai/gpt-4o/tier-1}", []string{"provider.limits.0.limit=1000"}, limit(0), int64(1000)},
		{"and leaves its other items alone", "{preset: openai/gpt-4o/tier-1}", []string{"provider.limits.0.limit=1000"}, limit(1), int64(30_000)},
		{"and reaches into a list beside the preset", "{preset: openai/gpt-4o/tier-1, limits: [{axis: requests, limit: 7, per: 1s}]}", []string{"provider.limits.0.limit=8"}, limit(0), int64(8)},
		{"--set names a preset", "{seats: 5}", []string{"provider.preset=openai/gpt-4o/tier-2"}, limit(1), int64(450_000)},
		{"where there is no provider at all", "", []string{"provider.preset=openai/gpt-4o/tier-2"}, limit(1), int64(450_000)},
		{"in place of the file's", "{preset: openai/gpt-4o/tier-1}", []string{"provider.preset=openai/gpt-4o/tier-2"}, limit(1), int64(450_000)},
		{"and what is set besides holds, whichever comes first", "{preset: openai/gpt-4o/tier-1}", []string{"provider.limits.0.limit=9", "provider.preset=openai/gpt-4o/tier-2"}, func(s *scenarios.Scenario) any {
			return []int64{s.Provider.Limits[0].Limit, s.Provider.Limits[1].Limit}
		}, []int64{9, 450_000}},
		{"a provider set whole replaces what was set before it", "{preset: openai/gpt-4o/tier-1}", []string{"provider.seats=3", "provider={preset: openai/gpt-4o/tier-3}", "provider.limits.0.limit=9"}, func(s *scenarios.Scenario) any {
			return []int64{int64(s.Provider.Seats), s.Provider.Limits[0].Limit, s.Provider.Limits[1].Limit}
		}, []int64{int64(policies.Unlimited), 9, 800_000}},
		{"a merged provider has its preset too", "{<<: {preset: openai/gpt-4o/tier-1, seats: 4}, seats: 5}", []string{"provider.limits.1.limit=9"}, func(s *scenarios.Scenario) any {
			return []int64{int64(s.Provider.Seats), s.Provider.Limits[0].Limit, s.Provider.Limits[1].Limit}
		}, []int64{5, 500, 9}},
	}
	for _, row := range rows {
		text := "name: x\n" + tail
		if row.provider != "" {
			text = "name: x\nprovider: " + row.provider + "\n" + tail
		}
		s, err := scenarios.Decode("x.yaml", []byte(text), row.set...)
		if err != nil {
			t.Errorf("%s: %v", row.says, err)
			continue
		}
		if got := row.get(s); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.says, got, row.want)
		}
	}
}

// A scenario that changes its preset leaves it as it is for the next.
func TestPresetsAreNobodysToChange(t *testing.T) {
	before := presetNamed(t, "openai/gpt-4o/tier-1").Provider.Limits[0].Limit
	text := []byte("name: x\nprovider: {preset: openai/gpt-4o/tier-1}\nclients: [{count: 1}]\n")
	if _, err := scenarios.Decode("x.yaml", text, "provider.limits.0.limit=3", "provider.hint.late=1s"); err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Decode("x.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if s.Provider.Limits[0].Limit != before || s.Provider.Hint.Late != 0 {
		t.Errorf("now it has limits %+v and hint %+v", s.Provider.Limits, s.Provider.Hint)
	}
}

// A preset says nothing that a scenario could not say itself.
func TestAPresetIsWhatItsKeysSay(t *testing.T) {
	written, err := scenarios.Decode("x.yaml", []byte(`
name: x
provider:
  flavour: openai
  refuses: {status: 503}
  hint: {retry_after: exact, format: [seconds, ms, body]}
  limits:
    - {axis: requests, limit: 500, per: 1m, algorithm: bucket, rejected: charged, scope: all}
    - {axis: tokens, limit: 30000, per: 1m, algorithm: bucket, charge: {input: chars/4, output: max_tokens, combine: max, unset: 0}, rejected: free, settle: never, scope: all}
clients: [{count: 60, request: {input_tokens: 1000, max_tokens: 100}, policy: full-jitter}]
`))
	if err != nil {
		t.Fatal(err)
	}
	short, err := scenarios.Decode("x.yaml", []byte("name: x\nprovider: {preset: openai/gpt-4o/tier-1}\nclients: [{count: 60, request: {input_tokens: 1000, max_tokens: 100}, policy: full-jitter}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var sums []string
	for _, s := range []*scenarios.Scenario{written, short} {
		sums = append(sums, fmt.Sprintf("%+v", run(t, s, 1).Attempts))
	}
	if sums[0] != sums[1] {
		t.Errorf("written out: %s\nby its preset: %s", sums[0], sums[1])
	}
}
