// The Anthropic client against `simulate serve`: `node anthropic.mjs URL`. It completes an
// answer and a stream; then it finds all seats taken, is told to come again in a second, does,
// and is served.
import assert from 'node:assert';
import Anthropic from '@anthropic-ai/sdk';

const [url] = process.argv.slice(2);
const client = new Anthropic({ baseURL: url, apiKey: 'sk-smoke' });
const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'What is a tide gauge?' }] };
const answer = 'A tide gauge is a device that measures sea level over time .';

async function stream(headers) {
	const { content: [{ text }], stop_reason: reason, usage } = await client.messages.stream(ask, { headers }).finalMessage();
	return { text, reason, tokens: usage.output_tokens };
}

const whole = await client.messages.create({ ...ask, max_tokens: 5 });
assert.equal(whole.content[0].text, 'A tide gauge is a');
assert.equal(whole.stop_reason, 'max_tokens');
assert.deepEqual(await stream(), { text: answer, reason: 'end_turn', tokens: 13 });

// Three answers of 0.65 s take the three seats.
const seats = Array.from({ length: 3 }, () => fetch(`${url}/v1/chat?delay=50`));
await Promise.all(seats);
const start = performance.now();
assert.deepEqual(await stream(), { text: answer, reason: 'end_turn', tokens: 13 });
const waited = performance.now() - start;
assert.ok(waited >= 1000, `it came back after ${waited} ms, before the second it was told to wait`);
await Promise.all(seats.map(async (s) => (await s).arrayBuffer()));

await assert.rejects(stream({ 'X-Stampede-Fault': 'status=401' }), Anthropic.AuthenticationError);
await assert.rejects(stream({ 'X-Stampede-Fault': 'in_stream=overloaded_error after_tokens=3' }), /overloaded_error/);
console.log('ok');
