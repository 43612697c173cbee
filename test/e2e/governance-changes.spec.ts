import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { postChat, send, type Answer } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
/** The maximum time in milliseconds until a change applies on every replica (decisions.md). */
const effectiveWithinMs = 1_000;
/**
 * Extra time in milliseconds for a process that stalls briefly. If the broadcast of a change is lost, replicas
 * apply the change only after ten seconds, and the test fails.
 */
const standstillMs = 2_000;
const tool = { type: 'function', function: { name: 'erase' } };
const body = {
  model: 'openai/gpt-4o',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [tool],
  tool_choice: tool,
};

let edges: readonly string[];
let provider: ReplayProvider;
let account: TestAccount;
/** A separate API key that makes the changes, because a key cannot change its own record. */
let managerKey: string;

beforeAll(async () => {
  edges = [baseUrl, edgeUrl(stack, 'tight'), edgeUrl(stack, 'closed')];
  provider = await startProvider();
  provider.setControls(plainAnswer);
  account = await createTestAccount(stack);
  managerKey = (await createTestKey(baseUrl, account.apiKey, { name: 'manager' })).key;
});
afterAll(() => provider.close());

const ask = (edge: string) => postChat(edge, account.apiKey, body);
const change = async (method: string, path: string, changed?: unknown) => {
  const sent = { method, path, key: managerKey, ...(changed === undefined ? {} : { body: changed }) };
  const answer = await send(baseUrl, sent);
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
};
const codeOf = ({ text }: Answer) => /"code":"([a-z_]+)"/.exec(text)?.[1];
const limitOf = ({ headers }: Answer) => headers['x-ratelimit-limit-requests'];

/**
 * Sends a request to each replica first, so that each replica caches the old settings. Makes the change, and
 * polls each replica until the replica applies the change.
 */
async function expectEverywhere(act: () => Promise<unknown>, shows: (answer: Answer) => boolean) {
  for (const edge of edges) expect(shows(await ask(edge))).toBe(false);
  await act();
  const start = performance.now();
  const tookMs = await Promise.all(
    edges.map(async (edge) => {
      // The start time of the last request for which the replica used the old settings.
      for (let lastMs = 0; ;) {
        const begunMs = performance.now() - start;
        if (shows(await ask(edge))) return lastMs;
        lastMs = begunMs;
        if (lastMs > 10 * effectiveWithinMs) return Infinity;
      }
    }),
  );
  expect(Math.max(...tookMs)).toBeLessThan(effectiveWithinMs + standstillMs);
}

const keyPath = () => `/v1/account/keys/${account.keyId}`;
const connect = () =>
  connectProvider(baseUrl, account.apiKey, {
    provider: 'openai',
    api_key: 'sk-upstream-0123456789',
    base_url: `${provider.url}/v1`,
  });

describe('every replica applies a change within a second', () => {
  it('every replica applies a stored or deleted provider credential within a second', async () => {
    await expectEverywhere(connect, (answer) => codeOf(answer) !== 'provider_not_connected');
    await expectEverywhere(
      () => change('DELETE', '/v1/account/providers/openai'),
      (answer) => codeOf(answer) === 'provider_not_connected',
    );
    await connect();
  });

  it('every replica applies a changed account policy within a second', () =>
    expectEverywhere(
      () => change('PATCH', '/v1/account/me', { policy: { rate_limit_rpm: 432 } }),
      (answer) => limitOf(answer) === '432',
    ));

  it('every replica applies a changed key within a second', () =>
    expectEverywhere(
      () => change('PATCH', keyPath(), { rate_limit_rpm: 345 }),
      (answer) => limitOf(answer) === '345',
    ));

  it('every replica applies a key’s changed tool lists within a second', () =>
    expectEverywhere(
      () => change('PUT', `${keyPath()}/toollist`, { denied_tools: ['erase'] }),
      (answer) => codeOf(answer) === 'tool_not_allowed',
    ));

  it('every replica applies a key’s changed scopes within a second', () =>
    expectEverywhere(
      () => change('PATCH', keyPath(), { scopes: ['read'] }),
      (answer) => codeOf(answer) === 'insufficient_scope',
    ));
});
