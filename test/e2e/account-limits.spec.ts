import { sharedStack, signUpPerson } from '@gateway/testing';
import { createTestAccount, createTestKey } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { postChat, send, type Answer } from './http.fixture.ts';
import { whileCountedTogether } from './limits.fixture.ts';

const stack = sharedStack();
const hello = { model: 'sandbox/sandbox-1', messages: [{ role: 'user', content: 'hello' }] };
const limited = { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded', param: null };
/**
 * The gateway's default limits on calls per minute to account routes. Only the edge `closed` uses the default
 * limits.
 */
const defaults = { read: 600, analytics: 120, write: 120, export: 10 };

const limitOf = ({ headers }: Answer) => Number(headers['x-ratelimit-limit-requests']);
const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

/** Creates an API key with a very high limit, so that only the account's limits apply. */
async function createFastKey(): Promise<string> {
  const { apiKey } = await createTestAccount(stack);
  return (await createTestKey(stack.baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 100_000 })).key;
}

it('a key’s requests per minute also limit its calls to account routes', () =>
  whileCountedTogether(async () => {
    const { apiKey } = await createTestAccount(stack);
    const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'one', rate_limit_rpm: 1 });
    const paths = ['/v1/account/me', '/v1/account/keys', '/v1/account/usage/summary', '/v1/requests'];
    const answers: Answer[] = [];
    for (let at = 0; at < 20; at++)
      answers.push(await send(stack.baseUrl, { path: paths[at % paths.length]!, key }));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([1, 19]);
    expectError(answers[19]!, limited);
    expect(Number(answers[19]!.headers['retry-after-ms'])).toBeGreaterThan(0);
    expect(answers.map(limitOf)).toEqual(answers.map(() => 1));
  }));

it('calls to account routes and chat requests are counted in separate windows', () =>
  whileCountedTogether(async () => {
    const { apiKey } = await createTestAccount(stack);
    const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'two', rate_limit_rpm: 1 });
    expect((await send(stack.baseUrl, { path: '/v1/account/me', key })).status).toBe(200);
    expect((await postChat(stack.baseUrl, key, hello)).status).toBe(200);
    expect((await postChat(stack.baseUrl, key, hello)).status).toBe(429);
  }));

it('all keys of an account share one budget for exports', () =>
  whileCountedTogether(async () => {
    const { apiKey } = await createTestAccount(stack);
    const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'second' });
    const edge = edgeUrl(stack, 'closed');
    const answers: Answer[] = [];
    for (let at = 0; at < defaults.export + 4; at++)
      answers.push(await send(edge, { path: '/v1/requests/export?format=csv', key: at % 2 ? key : apiKey }));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([defaults.export, 4]);
    expectError(answers.at(-1)!, limited);
    expect((await send(edge, { path: '/v1/account/me', key: apiKey })).status).toBe(200);
  }));

it('an account’s budget for changes is smaller than the account’s budget for reads', () =>
  whileCountedTogether(async () => {
    const key = await createFastKey();
    const edge = edgeUrl(stack, 'closed');
    const change = () => send(edge, { method: 'PATCH', path: '/v1/account/me', key, body: { name: 'x' } });
    const answers: Answer[] = [];
    for (let sent = 0; sent < defaults.write + 30; sent += 10)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, change))));
    // Setting up the account already took two calls, which set the routing policy and created the API key.
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([defaults.write - 2, 32]);
    expect((await send(edge, { path: '/v1/account/me', key })).status).toBe(200);
  }));

it('a user’s calls count against the budgets of the user’s account', () =>
  whileCountedTogether(async () => {
    const { accessToken } = await signUpPerson(stack.baseUrl);
    const edge = edgeUrl(stack, 'closed');
    const read = () => send(edge, { path: '/v1/account/usage/summary', key: accessToken });
    const answers: Answer[] = [];
    for (let sent = 0; sent < defaults.analytics + 10; sent += 10)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, read))));
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([defaults.analytics, 10]);
    expect(new Set(answers.map(limitOf))).toEqual(new Set([defaults.analytics]));
  }));
