// The openai client against `simulate serve`: `node openai.mjs URL`. It completes a stream;
// then it finds all seats taken, is told to come again in a second, does, and is served.
import assert from 'node:assert';
import OpenAI from 'openai';

const [url] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-smoke' });
const messages = [{ role: 'user', content: 'What is a tide gauge?' }];
const answer = 'A tide gauge is a device that measures sea level over time .';

async function stream() {
	let text = '', reason = null, usage = null;
	for await (const chunk of await client.chat.completions.create({ model: 'm', messages, stream: true, stream_options: { include_usage: true } })) {
		text += chunk.choices[0]?.delta?.content ?? '';
		reason = chunk.choices[0]?.finish_reason ?? reason;
		usage = chunk.usage ?? usage;
	}
	return { text, reason, tokens: usage?.completion_tokens };
}

assert.deepEqual(await stream(), { text: answer, reason: 'stop', tokens: 13 });

const whole = await client.chat.completions.create({ model: 'm', messages, max_tokens: 5 });
assert.equal(whole.choices[0].message.content, 'A tide gauge is a');
assert.equal(whole.choices[0].finish_reason, 'length');

// Three answers of 0.65 s take the three seats.
const seats = Array.from({ length: 3 }, () => fetch(`${url}/v1/chat?delay=50`));
await Promise.all(seats);
const start = performance.now();
assert.deepEqual(await stream(), { text: answer, reason: 'stop', tokens: 13 });
const waited = performance.now() - start;
assert.ok(waited >= 1000, `it came back after ${waited} ms, before the second it was told to wait`);
await Promise.all(seats.map(async (s) => (await s).arrayBuffer()));

await assert.rejects(client.chat.completions.create({ model: 'm', messages }, { headers: { 'X-Stampede-Fault': 'status=401' } }), OpenAI.AuthenticationError);
console.log('ok');
