package scenarios_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

var update = flag.Bool("update", false, "write the golden files")

// small is the least scenario, to which each row adds its mistake.
const small = "name: small\nclients: [{count: 1}]\n"

func TestMistakesSayWhatToWrite(t *testing.T) {
	rows := []struct {
		sentence string
		text     string
		set      []string
	}{
		// Files.
		{"an empty file", "", nil},
		{"a file with a comment alone", "# later\n", nil},
		{"a file with --- alone", "---\n", nil},
		{"a file with null alone", "null\n", nil},
		{"two documents", small + "---\n" + small, nil},
		{"a list instead of keys", "- herd\n- gate\n", nil},
		{"one word instead of keys", "herd-100\n", nil},
		{"bytes that are not UTF-8", "name: caf\xe9\n", nil},
		{"UTF-16", "\xff\xfen\x00a\x00", nil},
		{"a control character", "name: a\x1b[31m\n", nil},
		{"a tab in the indentation", "name: small\nprovider:\n\tseats: 3\n", nil},

		// YAML.
		{"a bracket that is not closed", "name: small\nclients: [{count: 1}\nprovider: {}\n", nil},
		{"a brace that is not closed, with a comment and quotation marks", "name: small\nprovider: {seats: 3, # }\n  preset: \"}\", hint: {late: 1s}\n", nil},
		{"a bracket closed by a brace", "name: small\nclients: [{count: 1]]\n", nil},
		{"a comma left out", "name: small\nclients: [{name: a} {name: b}]\n", nil},
		{"a comma left out between keys", small + "provider: {seats: 3 queue: 4}\n", nil},
		{"a comma too many", "name: small\nclients: [,{count: 1}]\n", nil},
		{"a value that is a closing brace", "name: small\nprovider: }\n", nil},
		{"a colon left out", "name: small\nseed\nslot: 1s\n", nil},
		{"a line that is not in line", "name: small\nprovider:\n    seats: 3\n  queue: 5\n", nil},
		{"a list on the line of its key", "name: small\nclients: - count: 1\n", nil},
		{"a dash that is not in line", "name: small\nclients:\n  - count: 1\n  name: a\n", nil},
		{"text after quotation marks", "name: small\nabout: \"one\" and two\n", nil},
		{"a backslash in quotation marks", "name: small\nabout: \"\\d\"\n", nil},
		{"a star that is text", "name: small\nabout: * star\n", nil},
		{"an emphasis that is text", "name: small\nabout: *bold* text\n", nil},
		{"an ampersand that is text", "name: small\nabout: & more\n", nil},
		{"an at sign that is text", "name: small\nabout: @home\n", nil},
		{"a colon inside plain text", "name: small\nabout: one: two\n", nil},
		{"a line too far in", "name: small\n  about: text\n", nil},
		{"a value that begins with a backtick", "name: small\nabout: `text`\n", nil},
		{"quotation marks that are not closed", "name: small\nabout: \"text\n", nil},
		{"an apostrophe that is not closed", "name: small\nabout: 'text\n", nil},
		{"an anchor that is not defined", "name: small\nclients: *groups\n", nil},
		{"an anchor that contains itself", "name: small\nclients: [{network: &n {one_way: {sum: [1ms, &s {sum: [*s]}]}}}]\n", nil},
		{"a merge into itself", "name: small\nprovider: &p {seats: 3, <<: *p}\nclients: [{count: 1}]\n", nil},
		{"a tag", small + "seed: !!int 5\n", nil},
		{"a merge of a number", small + "provider: {<<: 3}\n", nil},
		{"a merge of a list", small + "provider: {<<: [[3]]}\n", nil},

		// Keys.
		{"a key given twice", small + "provider:\n  seats: 3\n  queue: 2\n  seats: 4\n", nil},
		{"a misspelled key", small + "provider: {seat: 3}\n", nil},
		{"a misspelled key at the top, and what it should have defined", "name: small\nclients: [{policy: slow}]\npolices: {slow: {}}\n", nil},
		{"a hyphen for an underscore", "name: small\nclients: [{request: {max-tokens: 3}}]\n", nil},
		{"a capital letter", small + "Seed: 3\n", nil},
		{"a key one level too high", small + "provider: {retry_after: 1s}\n", nil},
		{"a key under the wrong parent", small + "provider: {max_tokens: 3}\n", nil},
		{"a key that fits three places below", small + "policies: {p: {base: 1s}}\n", nil},
		{"a key nobody knows", small + "provider: {colour: red}\n", nil},
		{"a key of a later version", small + "provider: {weather: [], price: {}}\n", nil},
		{"a key without a value", small + "provider:\n", nil},
		{"keys without a value", "name:\nclients:\npolicies:\nprovider: {limits: , seats: , faults: [], queue: }\nslot:\n", nil},
		{"a key with an empty name", small + "policies: {\"\": {attempts: 1}}\n", nil},

		// Values.
		{"a duration without a unit", small + "slot: 30\n", nil},
		{"a duration with a long unit", small + "slot: 30sec\n", nil},
		{"a duration with a space", small + "slot: 30 ms\n", nil},
		{"a duration in an unknown unit", small + "stop: {after: 2 fortnights}\n", nil},
		{"a duration in the long words of its units", small + "slot: 1.5 seconds\n", nil},
		{"a duration of several parts with spaces", small + "stop: {after: 1 h 30 min}\n", nil},
		{"a duration of right parts with a space", small + "stop: {after: 1h 30m}\n", nil},
		{"a duration in weeks", small + "stop: {after: 1.5 weeks}\n", nil},
		{"a duration with a comma", small + "slot: 1,5s\n", nil},
		{"a duration below a second in the long word", small + "slot: 20 msec\n", nil},
		{"a duration with a plus", small + "slot: +1s\n", nil},
		{"a duration with a minus before nothing", small + "slot: -0s\n", nil},
		{"a hint with a long unit", small + "provider: {hint: {retry_after: 20 sec}}\n", nil},
		{"a hint without a unit", small + "provider: {hint: {retry_after: 20}}\n", nil},
		{"a misspelled word for a hint", small + "provider: {hint: {retry_after: non}}\n", nil},
		{"a duration in a distribution with a long unit", "name: small\nclients: [{network: {one_way: {sum: [0.3 ms, {exponential: {mean: 5 millis}}]}}}]\n", nil},
		{"a rate with a space", "name: small\nclients: [{arrive: {rate: 5 /s}}]\n", nil},
		{"a rate with a long unit", "name: small\nclients: [{arrive: {rate: 500/minute}}]\n", nil},
		{"a rate as it is spoken", "name: small\nclients: [{arrive: {rate: 500 rpm}}]\n", nil},
		{"a rate without a unit", "name: small\nclients: [{arrive: {rate: 5}}]\n", nil},
		{"a rate in steps that says nothing", "name: small\nclients: [{arrive: {rate: {}}}]\n", nil},
		{"a step of a rate with long units", "name: small\nclients: [{arrive: {rate: {0s: 40/sec, 20 sec: 80/s}}}]\n", nil},
		{"a count with a comma", small + "provider: {seats: \"1,000\"}\n", nil},
		{"a count with a misspelled word", small + "provider: {seats: unlimted}\n", nil},
		{"a count with a capital letter", small + "policies: {p: {attempts: Unlimited}}\n", nil},
		{"a number with a comma", "name: small\nclients:\n  - count: 10,000\n", nil},
		{"a count of thousands, and one of millions", small + "provider: {limits: [{axis: tokens, limit: 30k, per: 1m}, {axis: tokens, limit: 1.5M, per: 1m}]}\n", nil},
		{"rates of thousands", small + "gates: {g: {tokens: 30k/min, requests: 1.5k rpm}}\n", nil},
		{"a share with a space", "name: small\nclients: [{request: {cached: 30 %}}]\n", nil},
		{"a share in words", "name: small\nclients: [{request: {cached: 30 percent}}]\n", nil},
		{"a misspelled axis and scope of a limit", small + "provider: {limits: [{axis: token, limit: 5, per: 1 min, scope: tennant}]}\n", nil},
		{"a status with a capital letter", small + "policies: {p: {triage: {retry: [5XX]}}}\n", nil},
		{"a duration in words", small + "slot: soon\n", nil},
		{"a negative duration", "name: small\nclients: [{arrive: {at: -1s}}]\n", nil},
		{"a duration of 0 where none is possible", small + "slot: 0\n", nil},
		{"a duration beyond measure", small + "stop: {after: 1000000d}\n", nil},
		{"a duration below a nanosecond", small + "slot: 0.1ns\n", nil},
		{"zero seats", small + "provider: {seats: 0}\n", nil},
		{"half a seat", small + "provider: {seats: 0.5}\n", nil},
		{"fewer than no clients", "name: small\nclients: [{count: -1}]\n", nil},
		{"half a client", "name: small\nclients: [{count: 0.5}]\n", nil},
		{"a number in quotation marks", "name: small\nclients: [{count: \"10\"}]\n", nil},
		{"a whole number written with an exponent", "name: small\nclients: [{count: 1e3}]\n", nil},
		{"a number that begins with 0", "name: small\nclients: [{count: 010}]\n", nil},
		{"a word for a number", "name: small\nclients: [{count: many}]\n", nil},
		{"unlimited where a number must be", "name: small\nclients: [{count: unlimited}]\n", nil},
		{"not a number", small + "policies: {p: {backoff: {exponential: {factor: .nan}}}}\n", nil},
		{"an exponent that is neither 0 nor 1", small + "policies: {p: {backoff: {exponential: {first: 2}}}}\n", nil},
		{"an exponent between 0 and 1", small + "policies: {p: {backoff: {exponential: {first: 0.5}}}}\n", nil},
		{"a seed below 0", small + "seed: -1\n", nil},
		{"a truth value of YAML 1.1", "name: small\nclients: [{request: {stream: yes}}]\n", nil},
		{"a truth value in quotation marks", "name: small\nclients: [{request: {stream: \"true\"}}]\n", nil},
		{"a status no answer has", small + "provider: {faults: [{status: 200}]}\n", nil},
		{"a status in words", small + "provider: {faults: [{status: bad}]}\n", nil},
		{"a mapping for a number", small + "provider: {seats: {count: 3}}\n", nil},
		{"a list for a mapping", small + "provider: [3]\n", nil},
		{"a mapping for a list", "name: small\nclients: {count: 3}\n", nil},
		{"a value for a list of mappings", "name: small\nclients: 3\nprovider: {limits: 500/min}\n", nil},
		{"a value for a list", small + "provider: {hint: {retry_after: 1s, format: seconds}}\n", nil},
		{"a list for names", small + "policies: [{attempts: 3}]\n", nil},
		{"a billion clients", "name: small\nclients: [{count: 1000000000}]\n", nil},
		{"a day in slots of a millisecond", small + "slot: 1ms\nstop: {after: 1d}\n", nil},

		// Words and names.
		{"a misspelled word", small + "policies: {p: {hint: ingore}}\n", nil},
		{"an unknown word", small + "policies: {p: {triage: sometimes}}\n", nil},
		{"an unknown backoff, and a list of them", small + "policies: {p: {backoff: sometimes}, q: {backoff: [none]}}\n", nil},
		{"a misspelled backoff", small + "policies: {p: {backoff: exponentail}}\n", nil},
		{"a backoff that needs its number", small + "policies: {p: {backoff: constant}}\n", nil},
		{"a distribution that needs its numbers", "name: small\nclients: [{network: {one_way: exponential}}]\n", nil},
		{"two backoffs", small + "policies: {p: {backoff: {constant: 1s, linear: {}}}}\n", nil},
		{"no backoff in a mapping of a distribution", "name: small\nclients: [{network: {one_way: {}}}]\n", nil},
		{"a distribution without one of its numbers", "name: small\nclients: [{network: {one_way: {normal: {mean: 5ms}}}}]\n", nil},
		{"distributions without others of their numbers", "name: small\nclients: [{request: {input_tokens: {normal: {sd: 70}}}, network: {one_way: {sum: [{lognormal: {p50: 30ms}}, {lognormal: {p99: 2s}}, {normal: {mean: 1m}}, {normal: {}}]}}}]\n", nil},
		{"a uniform distribution with one bound", "name: small\nclients: [{network: {one_way: {uniform: 3ms}}}]\n", nil},
		{"a uniform distribution that runs down", "name: small\nclients: [{network: {one_way: {uniform: [3ms, 1ms]}}}]\n", nil},
		{"tokens without their numbers", "name: small\nclients: [{request: {input_tokens: {}, output_tokens: {uniform: 20}}}]\n", nil},
		{"a policy that does not exist", "name: small\nclients: [{policy: fulljitter}]\n", nil},
		{"a policy nothing is like", "name: small\nclients: [{policy: patience}]\n", nil},
		{"against a policy that does not exist", small + "against: naif\n", nil},
		{"a gate that does not exist", "name: small\nclients: [{gate: thre}]\ngates: {three: {concurrency: 3}}\n", nil},
		{"a gate without permits", small + "gates: {three: {scope: group}}\n", nil},
		{"an empty gate", "name: small\nclients: [{gate: \"\"}]\n", nil},
		{"two groups of one name", "name: small\nclients: [{name: a}, {name: b}, {name: a}]\n", nil},
		{"no name", "clients: [{count: 1}]\n", nil},
		{"a name with spaces", "name: My Herd\nclients: [{count: 1}]\n", nil},
		{"no clients", "name: small\n", nil},
		{"an empty list of clients", "name: small\nclients: []\n", nil},

		// What contradicts itself.
		{"a cap below the base", small + "policies: {p: {backoff: {exponential: {base: 2s, cap: 1s}}}}\n", nil},
		{"the default cap below the base", small + "policies: {p: {backoff: {exponential: {base: 60m}}}}\n", nil},
		{"times that contradict each other", small + "provider: {limits: [{axis: requests, limit: 5, per: 15m, algorithm: fixed-window, slices: 1h}, {axis: requests, limit: 5, per: 15m, algorithm: fixed-window, slices: 4m}, {axis: requests, limit: 5, per: 15m, algorithm: fixed-window, phase: 1h}], slope: {axis: requests, above: 1/h, grow: 50%, per: 1m}}\n", nil},
		{"a time-out that never fires", "name: small\nclients: [{timeouts: {attempt: 90m, operation: 60m}}]\n", nil},
		{"a queue before unlimited seats", small + "provider: {queue: 5}\n", nil},
		{"a wait limit without places", small + "provider: {seats: 1, queue: {wait_limit: 10s}}\n", nil},
		{"lateness without a limit, aging without priority", small + "provider: {seats: 1, queue: {places: 5, refuse_late: true, aging: 1s, reserve: 1}}\n", nil},
		{"as many seats in reserve as there are", small + "provider: {seats: 1, queue: {places: 5, order: priority, reserve: 1}}\n", nil},
		{"a wait limit of nothing", small + "provider: {seats: 1, queue: {places: 5, wait_limit: 0s}}\n", nil},
		{"a pace that never slows", small + "provider: {seats: 2, service: {pace: {full_speed_to: 16}}}\n", nil},
		{"a pace without its number", small + "provider: {service: {pace: {sharing: processor}}}\n", nil},
		{"a word for the time after which a seat frees", small + "provider: {abandoned: {frees_seat_after: later}}\n", nil},
		{"two faults in one", small + "provider: {faults: [{status: 401, hang: true}]}\n", nil},
		{"a fault that says nothing", small + "provider: {faults: [{first: 2}]}\n", nil},
		{"faults with what has no effect on them", small + "provider: {faults: [{status: 500, after_tokens: 3, keep_alive: 1s}, {hang: true, probability: 0}, {cut: close, probability: 101%, keys: []}]}\n", nil},
		{"a fault of a key that nobody has", "name: small\nprovider: {faults: [{status: 401, keys: [main, revoked]}]}\nclients: [{key: main}]\n", nil},
		{"a misspelled cut", small + "provider: {faults: [{cut: rest}]}\n", nil},
		{"weather without an end", small + "provider: {weather: [{at: 10s, outage: 503}]}\n", nil},
		{"weather that is none", small + "provider: {weather: [{for: 10s}]}\n", nil},
		{"weather of two kinds", small + "provider: {weather: [{for: 10s, seats: 20%, pace: 10%}]}\n", nil},
		{"weather with ramps that do not fit, or could not be", small + "provider: {weather: [{for: 10s, pace: 20%, ramp: 6s}, {for: 10s, freeze: true, ramp: 1s}]}\n", nil},
		{"weather of what is not there", small + "provider: {weather: [{for: 10s, seats: 20%}, {for: 10s, limits: 20%}]}\n", nil},
		{"weather that changes nothing", small + "provider: {weather: [{for: 10s, pace: 100%}]}\n", nil},
		{"keys that nobody looks at", small + "provider: {idempotency: {expires: 1h}}\n", nil},
		{"a conflict that cannot be", small + "provider: {idempotency: {mode: attach, conflict: 422}}\n", nil},
		{"a conflict where no key conflicts, though it is the usual one", small + "provider: {idempotency: {mode: attach, conflict: 409}}\n", nil},
		{"what keys bring about, where nobody looks at them", small + "provider: {idempotency: {mode: off, expires: 24h, conflict: 409}}\n", nil},
		{"a count and a repetition beside a rate", "name: small\nclients: [{count: 3, arrive: {rate: 5/s}, repeat: {operations: 3}}]\n", nil},
		{"what begins when all is over", "name: small\nstop: {after: 10s}\nwarm_up: 10s\nprovider: {weather: [{at: 10s, for: 1s, outage: 503}]}\nclients: [{arrive: {at: 20s}}]\n", nil},
		{"a price of nothing, and one in words", small + "provider: {price: {output: 0}}\n", nil},
		{"a price that is no amount", small + "provider: {price: {input: $2, output: 0.0000000001}}\n", nil},
		{"a fault behind one that takes every attempt", small + "provider: {faults: [{status: 500}, {status: 401}]}\n", nil},

		{"texts that are empty", small + "against: \"\"\nprovider: {hint: {retry_after: 1s, malformed: ''}}\n", []string{"clients=[{key: '', tenant: '', pool: '', arrive: {trace: '', columns: {time: '', input: '', output: ''}}}]"}},
		{"an ending and an error event where nobody asks for a stream", "name: small\nprovider: {faults: [{ending: close}, {in_stream: overloaded_error, keys: [a]}, {ending: reset, keys: [b]}]}\nclients: [{name: a, key: a}, {name: b, key: b, request: {stream: true}}]\n", []string{"provider.faults.0.keys=[a]"}},
		{"time-outs and a stream rule of an outer layer", "name: small\npolicies: {p: {timeouts: {attempt: 3s}, stream: {retry: never}}, q: {timeouts: {attempt: 3s}}}\nclients: [{name: a, layers: [p, q]}, {name: b, layers: [q, none]}]\n", nil},
		{"what is beyond no bound", small + "policies: {p: {hint: {mode: obey, beyond: clamp}}}\n", nil},
		{"hedges after the attempt is over", "name: small\npolicies: {p: {hedge: {after: 3s}, timeouts: {attempt: 3s}}, q: {hedge: {after: 3s}, timeouts: {attempt: 3s}}, r: {hedge: {after: 5s}}}\nclients: [{name: a, policy: q}, {name: b, policy: q, timeouts: {attempt: 4s}}, {name: c, policy: r, timeouts: {operation: 2s}}]\n", nil},
		{"what is silence in an answer in one piece", "name: small\nclients: [{timeouts: {idle: 3s, idle_reset: any-byte}}]\n", nil},
		{"a gate for each worker without workers", "name: small\ngates: {g: {concurrency: 3, scope: worker}, h: {concurrency: 3, scope: worker}}\nclients: [{name: a, gate: g}, {name: b, gate: h, workers: 1}, {name: c, gate: {concurrency: 3, scope: worker}}]\n", nil},
		{"more operations than can be numbered", "name: small\nclients: [{arrive: {rate: 1000000000/s}}]\n", nil},
		{"a form of hints read twice", small + "policies: {p: {hint: {mode: obey, reads: [ms, date, ms]}}}\n", nil},
		{"jitters with two signs, and one that runs down", small + "policies: {p: {backoff: {jitter: ++5%}}, q: {backoff: {jitter: -+5%}}, r: {backoff: {jitter: 130%..80%}}}\n", nil},
		{"tokens after which an ending comes", "name: small\nprovider: {faults: [{ending: close, after_tokens: 3}]}\nclients: [{request: {stream: true}}]\n", nil},

		{"a rate and a preset in a client, and a list of policies", "name: small\nclients: [{rate: 5/s, preset: litellm, policy: [a, b]}]\n", nil},
		{"values in place of mappings", "name: small\nclients: [{cancel: 3s}]\npolicies: {p: {hedge: p95}, q: {hedge: {after: 95}}, r: {hedge: often}}\n", nil},

		// Presets.
		{"a misspelled preset", small + "provider: {preset: openai/gpt4o/tier-1}\n", nil},
		{"a preset without its tier", small + "provider: {preset: gemini/2.5-pro}\n", nil},
		{"a preset of a model nobody knows", small + "provider: {preset: anthropic/claude-instant/tier-1}\n", nil},
		{"a preset nothing is like", small + "provider: {preset: local}\n", nil},
		{"a preset of another date", small + "provider: {preset: openai/gpt-4o/tier-2@2025-01}\n", nil},
		{"a misspelled preset in an override", small, []string{"provider.preset=groq/lama-3.3-70b/free"}},
		{"a limit a preset does not have", small + "provider: {preset: openai/gpt-4o/tier-1}\n", []string{"provider.limits.2.limit=5"}},
		{"what contradicts a preset, where the user wrote it", small + "provider:\n  preset: openai/gpt-4o/tier-1\n  queue: 5\n", nil},
		{"a preset's part that contradicts an override, where the preset is named", small + "provider:\n  preset: azure/gpt-4o/documented\n", []string{"provider.limits.0.algorithm=bucket"}},
		{"an override of a preset's part, which then contradicts it", small + "provider:\n  preset: openai/gpt-4o/tier-1\n", []string{"provider.limits.0.slices=10s"}},
		{"a preset's hint that an override takes the ground from", small + "provider:\n  preset: openai/gpt-4o/tier-1\n", []string{"provider.hint.retry_after=none", "provider.limits.0.axis=concurrency"}},
		{"a flavour nobody knows", small + "provider: {flavour: open-ai}\n", nil},

		// Expectations.
		{"an expectation that compares nothing", small + "expect: [success]\n", nil},
		{"a single =", small + "expect: [success = 1]\n", nil},
		{"a misspelled figure", small + "expect: [sucess == 1, latency.p99 < 3s, attempts.rejectd == 0]\n", nil},
		{"a figure nothing is like", small + "expect: [happiness > 3]\n", nil},
		{"a group that does not exist", small + "expect: [groups.batch.attempts.total == 1]\n", nil},
		{"a group that does not exist among several", "name: small\nclients: [{name: a}, {name: \"b c\"}]\nexpect: [groups.other.attempts.total == 1]\n", nil},
		{"a time for what is none", small + "expect: [success > 3s]\n", nil},
		{"a share in percent without the sign, and more than all", small + "expect: [success >= 99, waste < 200]\n", nil},
		{"a share of a time", small + "expect: [wall < 20%]\n", nil},
		{"a value that is none", small + "expect: [wall < soon]\n", nil},
		{"a value with a long unit", small + "expect: [wall < 30 sec, wall < 1 h 30 min]\n", nil},
		{"one expectation without a list", small + "expect: success == 1\n", nil},

		// Overrides.
		{"an override without =", small, []string{"seed"}},
		{"an override of a misspelled key", small, []string{"clients.0.cuont=3"}},
		{"an override without a value", small, []string{"seed="}},
		{"an override that is out of range", small, []string{"provider.seats=0"}},
		{"an override of a client that is not there", small, []string{"clients.1.count=3"}},
		{"an override of an item by a wrong name", small, []string{"clients.herd.count=3"}},
		{"an override with a wrong policy", "name: small\nclients: [{name: a}, {name: b}]\n", []string{"policy=naif"}},
		{"an override with a bad path", small, []string{"clients..count=3"}},
		{"overrides with dots", small, []string{"clients.=3", ".seed=3", "provider..seats=3", "provider.limits..limit=3", "=3", "..=3"}},
		{"overrides without a value", small, []string{"seed=null", "seed=#3"}},
		{"overrides of items that are not there", "name: small\nclients: [{name: herd}, {name: batch}]\n", []string{"clients.2.count=3", "clients.others.count=3", "provider.limits.0.limit=3"}},
		{"overrides with what is not closed", small, []string{"name=\"small", "clients=[{count: 1}", "about='x", "about=[a b, c] d", "about=%d", "about=[a"}},
		{"an override that is not YAML", small, []string{"provider={seats: 3"}},

		{"an override of a misspelled key at the top", small, []string{"provder.seats=3"}},
		{"an override of every group's policy, misspelled", small, []string{"polcy=naive"}},
		{"an override of a misspelled distribution", small, []string{"clients.0.network.one_way.exponentail.mean=5ms"}},
		{"an override of an item by a misspelled name", "name: small\nclients: [{name: herd}, {name: batch}]\n", []string{"clients.hred.count=3"}},
		{"an override of a misspelled policy", small, []string{"policies.ful-jitter.attempts=3"}},
		{"an override of a misspelled gate", "name: small\nclients: [{gate: three}]\ngates: {three: {concurrency: 3}}\n", []string{"gates.tree.concurrency=4"}},
		{"an override with a misspelled word", small, []string{"policies.p.hint=flor"}},
		{"an override with a wrong policy to show beside", small, []string{"against=full-jiter"}},
		{"an override with a long unit", small, []string{"slot=20 msec"}},
		{"an override with a rate in words", small, []string{"clients.0.arrive.rate=5 per second"}},

		// What is dangerous to print.
		{"a key that would colour the terminal", small + "\"\\e[31mred\": 1\n", nil},
		{"a very long value", small + "slot: " + strings.Repeat("x", 5000) + "\n", nil},
		{"a very long key", small + strings.Repeat("k", 500) + ": 1\n", nil},
		{"a policy that writes backwards", "name: small\nclients: [{policy: \"a\\u202eb\"}]\n", nil},

		{"everything at once, in the order of the file", "name: Everything\nprovider: {seat: 3, queue: -1}\nclients:\n  - {count: x, policy: ful-jitter}\nslot: 5\nexpect: [succes == 1]\n", []string{"seed=x"}},
	}
	var got strings.Builder
	for _, row := range rows {
		_, err := scenarios.Decode("herd.yaml", []byte(row.text), row.set...)
		if err == nil {
			t.Errorf("%s: no mistake found", row.sentence)
			continue
		}
		fmt.Fprintf(&got, "# %s\n%v\n\n", row.sentence, err)
	}
	compare(t, "testdata/mistakes.txt", got.String())
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(gotLines) {
			g = gotLines[i]
		}
		if i < len(wantLines) {
			w = wantLines[i]
		}
		if g != w {
			t.Fatalf("%s:%d: got\n%s\nwant\n%s\n(-update writes the file)", file, i+1, g, w)
		}
	}
}
