// The reference chapter's hostile provider, rewritten from facts/experiments.md; it shares
// nothing with Stampede. `node provider.mjs [PORT [DELAY [CUT [HOW]]]]` prints where it
// listens; DELAY (ms before each token), CUT and HOW stand where a request names none.
// GET /stats says what it made. Three are served at once, a fourth gets 429 with retry-after: 1.
import http from 'node:http';

const words = 'A tide gauge is a device that measures sea level over time .'.split(' ');
const stats = { requests: 0, refused: 0, generated: 0 };
const keys = new Map(); // idempotency key -> id, once the answer is made
let busy = 0, answers = 0;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const json = (res, status, body, headers = {}) => res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const chunk = (id, delta, reason = null) => `data: ${JSON.stringify({ id, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

async function chat(req, res, query) {
	const length = Math.min(Number(query.get('max_tokens') ?? 200), words.length);
	const delay = Number(query.get('delay') ?? process.argv[3] ?? 9), key = req.headers['idempotency-key'];
	const cut = Number(query.get('cut') ?? process.argv[4] ?? Infinity), how = query.get('how') ?? process.argv[5];
	const replay = key && keys.get(key);
	if (!replay && busy >= 3) { stats.refused++; return json(res, 429, { error: { type: 'rate_limit_error' } }, { 'retry-after': '1' }); }
	const id = replay || `answer-${++answers}`;
	if (!replay) busy++;
	for (let n = 0; n < length; n++) { // goes on, and is billed, when the client has left
		if (!replay) await sleep(delay);
		if (n === cut - 1 && how !== 'close') { busy--; return req.socket.resetAndDestroy(); } // the last token is lost on its way
		if (!res.headersSent) res.writeHead(200, { 'content-type': 'text/event-stream' });
		res.write(chunk(id, { content: (n ? ' ' : '') + words[n] }));
		if (n === cut - 1) { busy--; return res.end(); }
	}
	if (!replay) { busy--; stats.generated++; if (key) keys.set(key, id); }
	res.end(chunk(id, {}, length < words.length ? 'length' : 'stop') + 'data: [DONE]\n\n');
}

const server = http.createServer((req, res) => {
	const url = new URL(req.url, 'http://provider');
	if (url.pathname === '/stats') return json(res, 200, stats);
	stats.requests++;
	if (url.pathname === '/hang') return; // takes the socket and never writes
	if (url.pathname === '/401') return json(res, 401, { error: { type: 'authentication_error' } });
	if (url.pathname === '/v1/chat') return void chat(req, res, url.searchParams);
	json(res, 404, { error: { type: 'not_found' } });
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
