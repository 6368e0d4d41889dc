package scenarios

// examples are those of the reference, by section. A name, and clients where there are
// none, are added before they are read.
var examples = map[string]string{
	"scenario": `name: mine
warm_up: 30s
slot: 100ms
clients: [{name: chat, count: 40}]
`,
	"stop": `stop: {when: horizon, after: 10m}
`,
	"provider": `provider:
  seats: 10
  service: {first_token: 300ms, per_token: 20ms}
`,
	"provider.queue": `provider:
  seats: 10
  queue: {places: 50, order: priority, wait_limit: 5s, refuse_late: true} # or queue: 50
`,
	"provider.service": `provider: {service: {first_token: {lognormal: {p50: 900ms, p99: 4s}}, per_token: 20ms}}
`,
	"provider.service.pace": `provider: {seats: 64, service: {first_token: 300ms, per_token: 20ms, pace: {full_speed_to: 16}}}
`,
	"provider.abandoned": `provider: {seats: 10, abandoned: {frees_seat_after: 2s}}
`,
	"provider.refuses": `provider: {seats: 10, refuses: {status: 503}}
`,
	"provider.limits": `provider:
  limits:
    - {axis: requests, limit: 500, per: 1m, scope: key}
    - {axis: tokens, limit: 200000, per: 1m, burst: 20000, rejected: charged}
`,
	"provider.limits.charge": `provider: {limits: [{axis: tokens, limit: 30000, per: 1m, charge: {output: max_tokens, combine: max}}]}
`,
	"provider.slope": `provider: {slope: {axis: requests, above: 100/s, per: 1m, grow: 50%}}
`,
	"provider.hint": `provider: {seats: 3, hint: {retry_after: exact, round: 1s, format: [seconds, ms]}}
`,
	"provider.faults": `provider:
  faults:
    - {keys: [old], status: 401}
    - {probability: 1%, stall: true, after_tokens: 20}
clients: [{name: late, key: old, count: 2}, {count: 40}]
`,
	"provider.weather": `provider:
  seats: 10
  weather:
    - {at: 1m, for: 30s, outage: 503}
    - {at: 5m, for: 2m, seats: 20%, ramp: 30s}
`,
	"provider.idempotency": `provider: {idempotency: {mode: replay, expires: 1h}}
`,
	"provider.price": `provider: {price: {input: 2.50, cached: 1.25, output: 10}}
`,
	"clients": `clients:
  - {name: chat, count: 40, priority: 0, policy: full-jitter}
  - {name: batch, count: 5, priority: 9}
`,
	"clients.arrive": `clients:
  - {name: herd, count: 40, arrive: {over: 5s}}
  - {name: web, arrive: {rate: {0s: 40/s, 20s: 80/s}, ramp: true, process: poisson, for: 1m}}
  - {name: chat, arrive: {trace: azure-conv.csv, speed: 1.15, slice: [5m, 15m], over_clients: 50}}
`,
	"clients.arrive.process": `clients:
  - {name: steady, arrive: {rate: 5/s, process: constant, for: 1m}}
  - {name: bursty, arrive: {rate: 5/s, process: {gamma: {cv: 2.5}}, for: 1m}}
`,
	"clients.arrive.columns": `clients:
  - {arrive: {trace: example.csv, columns: {time: seconds, input: prompt, output: answer}}}
`,
	"clients.repeat": `clients: [{count: 40, repeat: {operations: 20, gap: {exponential: {mean: 10s}}}}]
`,
	"clients.timeouts": `clients: [{request: {stream: true}, timeouts: {first_event: 10s, idle: 15s, attempt: 60s, operation: 5m}, policy: full-jitter}]
`,
	"clients.stream": `clients: [{request: {stream: true}, stream: {completeness: naive, partial: keep, retry: never}}]
`,
	"clients.cancel": `clients: [{cancel: {probability: 1%, after: {exponential: {mean: 3s}}}}]
`,
	"clients.request": `clients: [{request: {input_tokens: 1000, cached: 80%, output_tokens: 130, stream: true}}]
`,
	"clients.network": `clients: [{network: {one_way: {sum: [5ms, {exponential: {mean: 10ms}}]}}}]
`,
	"gates": `gates:
  fleet: {concurrency: 10, requests: 20/s, scope: fleet}
clients:
  - {name: chat, count: 40, gate: fleet}
  - {name: batch, count: 5, gate: {concurrency: 2}}
  - {name: jobs, count: 8, workers: 4, gate: {requests: 60/min, scope: worker}}
`,
	"gates.estimate": `gates: {paced: {tokens: 30000/min, estimate: {output: actual}}}
`,
	"policies": `policies:
  patient: {attempts: 6, backoff: {exponential: {base: 500ms, cap: 10s}, jitter: full}, hint: floor}
  stubborn: {preset: openai-node@6.49, attempts: 10} # the preset's keys, but for attempts
clients: [{count: 40, policy: patient}, {name: sdk, count: 40, policy: openai-node@6.49}]
`,
	"policies.triage": `policies: {picky: {triage: {retry: [408, 5xx, connection], as_told: [429], fatal: [501, timeout], quota: fatal}}}
`,
	"policies.backoff": `policies:
  steady: {backoff: {constant: 2s}}
  spread: {backoff: {exponential: {base: 100ms, first: 1}, jitter: equal}}
  drawn: {backoff: decorrelated}
  sdk: {backoff: {exponential: {base: 500ms, cap: 8s}, jitter: -25%}}
  listed: {backoff: {steps: [800ms, 2.4s, 5.6s], jitter: 80%..130%, most: 60s}}
clients: [{policy: spread}]
`,
	"policies.hedge": `policies: {hedged: {hedge: {after: p95, at_most: 1}}}
`,
	"policies.timeouts": `policies: {sdk: {attempts: 3, timeouts: {attempt: 10m}}}
`,
	"policies.stream": `policies: {sdk: {attempts: 3, stream: {completeness: naive}}}
`,
	"policies.hint": `policies: {told: {hint: {mode: obey, up_to: 1m, beyond: clamp, spread: 10%, reads: [ms, seconds]}}}
`,
	"distributions": `provider: {service: {first_token: {uniform: [200ms, 400ms]}}}
clients:
  - name: chat
    request: {input_tokens: {lognormal: {p50: 800, p99: 6000}}, output_tokens: {empirical: azure-conv.csv#GeneratedTokens}}
    network: {one_way: {gamma: {mean: 20ms, cv: 0.5}}}
`,
	"expect": `expect:
  - success >= 99.9%
  - p99_latency < 30s
  - groups.clients.attempts.rejected_by.tokens == 0
`,
}
