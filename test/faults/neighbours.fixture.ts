import { startStack, signUpPerson, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { postChat, send, type Answer } from '../e2e/http.fixture.ts';
import { plainAnswer, startProvider } from '../e2e/provider.fixture.ts';
import type { Probe } from './calm-and-beside.fixture.ts';
import { HostileAccount, type HostileLoad } from './hostile-account.fixture.ts';

const mebibyte = 1024 * 1024;

/**
 * The limits that the test sets on the edge. `startStack` raises the rate limits of account routes, so that
 * the load reaches the services behind those routes. Request slots, request memory, spool and cache are
 * small, so that one account soon uses up its account share.
 */
const edgeLimits = {
  TRUSTED_PROXIES: '127.0.0.0/8',
  REQUESTS_IN_FLIGHT_MAX: '200',
  HELD_BYTES_MAX: String(64 * mebibyte),
  SPOOL_BYTES_MAX: String(4 * mebibyte),
  CACHE_BYTES_PER_ACCOUNT_MAX: String(64 * 1024),
};

interface Neighbour {
  /** An API key with a rate limit that the tests never reach. */
  readonly key: string;
  /** An API key that reaches its rate limit after a few requests. */
  readonly slowKey: string;
  readonly spareKeyId: string;
}

/** A gateway with a quiet account and a hostile account. */
export interface Neighbourhood {
  readonly stack: StackUnderTest;
  readonly hostile: HostileAccount;
  readonly hostileKeys: Neighbour;
  readonly quiet: Neighbour;
  readonly person: { readonly email: string; readonly password: string };
  close(): Promise<void>;
}

export async function openNeighbourhood(): Promise<Neighbourhood> {
  const stack = await startStack({ env: { 'edge-gateway': edgeLimits } });
  const provider: ReplayProvider = await startProvider();
  provider.setControls(() => plainAnswer);
  const hostile = await HostileAccount.start();
  const hostileKeys = await moveIn(stack, hostile.providerUrl, { content_logging: true });
  const quiet = await moveIn(stack, provider.url);
  const person = await signUpPerson(stack.baseUrl);
  return {
    ...{ stack, hostile, hostileKeys, quiet, person },
    close: async () => {
      hostile.stop();
      await provider.close();
      await stack.stop();
    },
  };
}

/**
 * Returns the value of an edge metric that has only the common labels. Returns 0 if the metric does not exist
 * yet.
 */
export async function readEdgeMetric({ stack }: Neighbourhood, name: string): Promise<number> {
  const metrics = await (await fetch(stack.dev.services['edge-gateway']!.metrics_url!)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
}

async function moveIn(stack: StackUnderTest, providerUrl: string, policy?: object): Promise<Neighbour> {
  const { apiKey, keyId } = await createTestAccount(stack);
  const { baseUrl } = stack;
  const busy = await createTestKey(baseUrl, apiKey, { name: 'busy', rate_limit_rpm: 1_000_000 });
  const slow = await createTestKey(baseUrl, apiKey, { name: 'slow', rate_limit_rpm: 120 });
  for (const [name, path] of [
    ['openai', '/v1'],
    ['mistral', '/hangs/v1'],
  ] as const) {
    const base_url = `${providerUrl}${path}`;
    await connectProvider(baseUrl, apiKey, { provider: name, api_key: 'upstream-key', base_url });
  }
  const request = { method: 'PATCH', path: '/v1/account/me', key: apiKey, body: { policy } };
  if (policy !== undefined) await send(baseUrl, request);
  return { key: busy.key, slowKey: slow.key, spareKeyId: keyId };
}

export const model = 'openai/gpt-4o-mini';
/** The model for which the hostile account's provider never responds. */
export const silentModel = 'mistral/mistral-large-latest';
export const tools = githubTools.slice(0, 24);

/** Renders a chat request that has tools and ends with tool results. */
export function renderChat(content: string, results: readonly string[], offered: readonly unknown[]): string {
  const called = (at: number) => ({
    ...{ role: 'assistant', content: null },
    tool_calls: [
      { id: `call_${at}`, type: 'function', function: { name: 'search_issues', arguments: '{}' } },
    ],
  });
  return JSON.stringify({
    model,
    ...(offered.length === 0 ? {} : { tools: offered }),
    messages: [
      { role: 'user', content },
      ...results.flatMap((text, at) => [
        called(at),
        { role: 'tool', tool_call_id: `call_${at}`, content: text },
      ]),
    ],
  });
}

/** Renders a chat request of the given number of bytes. */
export function renderLarge(bytes: number, named: string): string {
  const content = `{n} ${'a'.repeat(bytes)}`;
  return JSON.stringify({ model: named, messages: [{ role: 'user', content }] });
}

/** A tool result of about 1 MB that the compressor can shorten. */
export const megabyte = JSON.stringify(
  Array.from({ length: 12_000 }, (_, at) => ({
    id: at === 0 ? '{n}' : at,
    title: `the title of item ${at}`,
    open: true,
  })),
  null,
  2,
);

/** The longest tool list that the gateway accepts. */
export const manyTools = Array.from({ length: 4_096 }, (_, at) => ({
  type: 'function',
  function: {
    name: `tool_{n}_${at}`,
    description: `Runs task number ${at}.`,
    parameters: { type: 'object' },
  },
}));

interface LoadOptions extends Pick<HostileLoad, 'concurrency' | 'pauseMs'> {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly key?: string;
}

/**
 * Creates the hostile account's requests. A request without a body is a GET request by default, and the
 * default path is the chat path.
 */
export function renderLoad(
  { stack, hostileKeys }: Neighbourhood,
  { key = hostileKeys.key, ...given }: LoadOptions,
): HostileLoad {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { path = '/v1/chat/completions', method = given.body === undefined ? 'GET' : 'POST' } = given;
  return { baseUrl: stack.baseUrl, headers, ...given, path, method };
}

/** Returns functions that send the requests of the quiet account. */
export function openProbes(open: () => Neighbourhood) {
  let addresses = 0;
  const get =
    (path: string): Probe =>
    () =>
      send(open().stack.baseUrl, { path, key: open().quiet.key });
  const chat: Probe = (at) =>
    postChat(open().stack.baseUrl, open().quiet.key, {
      model,
      messages: [{ role: 'user', content: `hello ${at}` }],
    });
  const agentTurn: Probe = (at) =>
    postChat(
      open().stack.baseUrl,
      open().quiet.key,
      renderChat(`Find the issue number ${at}`, [JSON.stringify({ at }, null, 4)], tools),
    );
  /**
   * Sign-ins are rate-limited by address, so each sign-in comes from a different address.
   */
  const logIn = (): Promise<Answer> => {
    addresses += 1;
    const { email, password } = open().person;
    return send(open().stack.baseUrl, {
      path: '/v1/auth/log-in',
      headers: { 'x-forwarded-for': `100.64.${Math.floor(addresses / 250)}.${addresses % 250}` },
      body: { email, password, refresh_token_in: 'body' },
    });
  };
  return { get, chat, agentTurn, logIn };
}
