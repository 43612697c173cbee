import { sharedStack } from '@gateway/testing';
import OpenAI from 'openai';
import { createTestAccount, createTestKey } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { postChat, type Answer } from './http.fixture.ts';
import { whileCountedTogether } from './limits.fixture.ts';

const stack = sharedStack();
const hello = { model: 'sandbox/sandbox-1', messages: [{ role: 'user' as const, content: 'hello' }] };
let apiKey: string;
beforeAll(async () => {
  apiKey = (await createTestAccount(stack)).apiKey;
});

const limitOf = ({ headers }: Answer) => headers['x-ratelimit-limit-requests'];
const remainingOf = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining-requests']);

it('all replicas together admit exactly as many requests as the key’s limit allows', () =>
  whileCountedTogether(async () => {
    const allowed = 12;
    const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'some', rate_limit_rpm: allowed });
    const edges = [stack.baseUrl, edgeUrl(stack, 'tight')];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => postChat(edges[at % edges.length]!, key, hello)),
    );
    const admitted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect({ admitted: admitted.length, refused: refused.length }).toEqual({
      admitted: allowed,
      refused: 28,
    });
    expect(new Set(answers.map(limitOf))).toEqual(new Set([String(allowed)]));
    expect(admitted.map(remainingOf).sort((a, b) => a - b)).toEqual([...Array(allowed).keys()]);
    expect(new Set(refused.map(remainingOf))).toEqual(new Set([0]));
  }));

it('a response to a request over the rate limit has the retry time in every form that clients understand', () =>
  whileCountedTogether(async () => {
    const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'one', rate_limit_rpm: 1 });
    const first = await postChat(stack.baseUrl, key, hello);
    expect(first.status).toBe(200);
    expect(first.headers['x-ratelimit-reset-requests']).toMatch(/^\d+(\.\d+)?s$/);
    const second = await postChat(stack.baseUrl, key, hello);
    expectError(second, { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded', param: null });
    const seconds = Number(second.headers['retry-after']);
    const ms = Number(second.headers['retry-after-ms']);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(60_500);
    expect(seconds).toBe(Math.ceil(ms / 1000));
    expect(second.headers['x-ratelimit-reset-requests']).toBe(`${(ms / 1000).toFixed(3)}s`);
  }));

it('the SDK raises a rate limit error for a request over the rate limit', () =>
  whileCountedTogether(async () => {
    const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'sdk', rate_limit_rpm: 1 });
    const client = new OpenAI({ baseURL: `${stack.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
    await client.chat.completions.create(hello);
    const raised = await client.chat.completions.create(hello).catch((thrown: unknown) => thrown);
    expect(raised).toBeInstanceOf(OpenAI.RateLimitError);
    expect(raised).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' });
  }));

it('one key’s rate limit does not affect other keys of the account', async () => {
  const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'other', rate_limit_rpm: 1 });
  expect((await postChat(stack.baseUrl, key, hello)).status).toBe(200);
});
