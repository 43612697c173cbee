/**
 * Tests hedging. If the first attempt is slow, the gateway starts a second attempt in parallel. Hedging is
 * off unless the operator enables it.
 */
import { startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { requestIdOf, waitForRow } from '../e2e/account.fixture.ts';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { postChat } from '../e2e/http.fixture.ts';
import { completion, plainAnswer, startProvider } from '../e2e/provider.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { TroubledProviders, type TroubledAccount } from './troubled-providers.fixture.ts';

/**
 * The hedge delay in milliseconds. A fast response arrives before this delay ends, even if a busy machine
 * stalls for two seconds.
 */
const hedgeAfterMs = 4_000;
/** A response that takes slightly longer than the hedge delay. */
const slow = { ...plainAnswer, firstByteDelayMs: hedgeAfterMs + 1_500 };

let stack: StackUnderTest;
let server: ReplayProvider;
let providers: TroubledProviders;
const undo: Undo[] = [];

beforeAll(async () => {
  stack = await startStack({ env: { 'edge-gateway': { UPSTREAM_HEDGE_AFTER_MS: String(hedgeAfterMs) } } });
  undo.push(() => stack.stop());
  server = await startProvider();
  undo.push(() => server.close());
  providers = new TroubledProviders(stack, server);
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

const messages = [{ role: 'user', content: 'Hello!' }];
const ask = ({ key }: TroubledAccount, more: object = {}) =>
  postChat(stack.baseUrl, key, { model: 'openai/gpt-4o-mini', messages, ...more });
/** The first provider sends a correct response, but too late. */
const silent = { ...plainAnswer, hang: 'before-headers' } as const;

it('if the first attempt is slow, the second attempt responds, the first is cancelled, and the tokens of both are counted', async () => {
  const account = await providers.open('silent', ['groq/llama-3.1-8b-instant']);
  account.trouble = () => silent;
  const answer = await ask(account);
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'x-svc-provider': 'groq', 'x-svc-model': 'llama-3.1-8b-instant', 'x-svc-attempts': '2' },
  });
  expect([account.calls('openai'), account.calls('groq')]).toEqual([1, 1]);
  const row = await waitForRow(stack.baseUrl, account.key, requestIdOf(answer));
  expect(row).toMatchObject({ status: 'ok', provider: 'groq', usage_estimated: true });
  expect(row.prompt_tokens).toBeGreaterThan(completion.usage.prompt_tokens);
  const ended = () => server.requests.find(({ url }) => url.startsWith('/silent/openai/'))?.ended;
  expect(await eventually(ended)).toBe('client-left');
  // The cancelled attempt is not counted as a failure, so the next request also goes to the silent provider first.
  account.trouble = undefined;
  expect((await ask(account)).headers['x-svc-provider']).toBe('openai');
});

it('another model on the same silent provider is not a hedge candidate', async () => {
  const account = await providers.open('same-provider', ['openai/gpt-4o']);
  account.trouble = () => slow;
  const answer = await ask(account);
  expect(answer).toMatchObject({ status: 200, headers: { 'x-svc-model': 'gpt-4o-mini' } });
  expect(account.calls()).toBe(1);
});

it.each([
  ['streams', { stream: true }],
  ['requests with tools', { tools: githubTools.slice(0, 3) }],
])('%s are never hedged', async (name, more) => {
  const account = await providers.open(name.replaceAll(' ', '-'), ['groq/llama-3.1-8b-instant']);
  account.trouble = () => slow;
  await ask(account, more);
  expect(account.calls('groq')).toBe(0);
});

it('a fast provider is called once', async () => {
  const account = await providers.open('quick', ['groq/llama-3.1-8b-instant']);
  const answer = await ask(account);
  expect(answer.headers['x-svc-attempts']).toBeUndefined();
  expect(account.calls()).toBe(1);
});
