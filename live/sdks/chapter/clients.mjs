// The reference chapter's clients, rewritten from facts/experiments.md; they share nothing
// with Stampede. `node clients.mjs URL e2|e4|e7|e8|e14 [QUERY]` prints one JSON object; the
// query, such as delay=9, goes with every request.
const [base, experiment, query = ''] = process.argv.slice(2);
const base_ms = 200, cap_ms = 20_000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Reads one answer. A chunk of the network is no event, and a character may be cut in two.
async function ask({ more = '', headers = {}, patience } = {}) {
	const url = `${base}/v1/chat?${[query, more].filter(Boolean).join('&')}`;
	const got = { chunks: 0, text: '', reason: null, id: null, done: false, error: null };
	try {
		const response = await fetch(url, { headers, signal: patience ? AbortSignal.timeout(patience) : undefined });
		got.status = response.status;
		if (response.status !== 200) {
			got.hint = Number(response.headers.get('retry-after') ?? 0);
			await response.arrayBuffer();
			return got;
		}
		let rest = '';
		for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
			const events = (rest + part).split('\n\n');
			rest = events.pop();
			for (const event of events) read(event, got);
		}
	} catch (error) {
		got.error = error.name === 'TimeoutError' ? 'timeout' : String(error.cause?.code ?? error.message);
	}
	return got;
}

function read(event, got) {
	const data = event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim()).join('\n');
	if (!data) return;
	if (data === '[DONE]') { got.done = true; return; }
	const { id, choices: [choice] } = JSON.parse(data);
	got.id = id;
	if (choice.delta.content) { got.chunks++; got.text += choice.delta.content; }
	got.reason = choice.finish_reason ?? got.reason;
}

// A herd whose clients retry with full jitter; with `hint` never before the server's.
async function herd(count, { hint, gate }) {
	const start = performance.now(), sent = [], texts = new Set();
	let refused = 0, succeeded = 0;
	const client = async () => {
		for (let n = 0; ; n++) {
			await gate?.enter();
			sent.push({ at: performance.now() - start, retry: n > 0 });
			const got = await ask();
			gate?.leave();
			if (got.reason) { succeeded++; texts.add(got.text); return; }
			refused += got.status === 429;
			const backoff = Math.random() * Math.min(cap_ms, base_ms * 2 ** n);
			await sleep(hint ? Math.max(got.hint * 1000, backoff) : backoff);
		}
	};
	await Promise.all(Array.from({ length: count }, client));
	const slots = {};
	for (const s of sent) if (s.retry) slots[Math.floor(s.at / 50)] = (slots[Math.floor(s.at / 50)] ?? 0) + 1;
	return {
		requests: sent.length, refused, succeeded, answers: texts.size, wall_s: (performance.now() - start) / 1000,
		busiest_retry: Math.max(0, ...Object.values(slots)),
	};
}

function gateOf(permits) {
	const waiting = [];
	return {
		enter: () => permits > 0 ? void permits-- : new Promise((resolve) => waiting.push(resolve)),
		leave: () => waiting.length ? waiting.shift()() : permits++,
	};
}

async function idempotency() {
	const tries = async (headers) => {
		const out = [];
		for (let attempt = 0; attempt < 2; attempt++) {
			if (attempt) await sleep(600);
			out.push(await ask({ headers, patience: 300 }));
		}
		await sleep(1000); // the provider goes on
		return out.map(({ error, id, status, done }) => ({ error, id, status, done }));
	};
	return { keyless: await tries({}), keyed: await tries({ 'idempotency-key': 'operation-1' }) };
}

console.log(JSON.stringify(await {
	e2: () => herd(20, { hint: true }),
	e4: async () => [await ask({ more: 'max_tokens=5' }), await ask({ more: 'cut=5&how=close' }), await ask({ more: 'cut=5' })],
	e7: () => herd(100, { hint: false }),
	e8: () => herd(20, { hint: true, gate: gateOf(3) }),
	e14: idempotency,
}[experiment]()));
