import { setTimeout as waitMs } from 'node:timers/promises';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { send, type Sent } from '../e2e/http.fixture.ts';

/** One request of a steady load and its outcome. */
export interface Outcome {
  readonly kind: 'chat' | 'keys' | 'providers' | 'log';
  /** The HTTP status, or 0 if the connection broke. */
  readonly status: number;
  readonly code: string | null;
  /** Times on the clock of `performance.now()`. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface SteadyLoad {
  readonly baseUrl: string;
  /** The key for account routes. */
  readonly apiKey: string;
  /** The key for chats. */
  readonly key: string;
  /** Chats per second. Each account route gets one request per second. */
  readonly perSecond: number;
  readonly durationMs: number;
}

const tools = githubTools.slice(0, 24);

/** Sends requests at a constant rate, without waiting for earlier responses. Resolves after the last response. */
export async function sendSteadily(load: SteadyLoad): Promise<Outcome[]> {
  const { baseUrl, apiKey, key, perSecond, durationMs } = load;
  const startedAt = performance.now();
  const pending: Promise<Outcome>[] = [];
  const repeat = async (everyMs: number, work: (at: number) => Promise<Outcome>): Promise<void> => {
    for (let at = 0; at * everyMs < durationMs; at += 1) {
      await waitMs(Math.max(0, startedAt + at * everyMs - performance.now()));
      pending.push(work(at));
    }
  };
  const account = (kind: Outcome['kind'], path: string) =>
    repeat(1_000, () => time(baseUrl, kind, { path, key: apiKey }));
  await Promise.all([
    repeat(1_000 / perSecond, (at) => time(baseUrl, 'chat', renderChat(key, at))),
    account('keys', '/v1/account/keys'),
    account('providers', '/v1/account/providers'),
    account('log', '/v1/account/requests?limit=1'),
  ]);
  return Promise.all(pending);
}

function renderChat(key: string, at: number): Sent {
  const user = `steady-${at}`;
  const messages = [{ role: 'user', content: `Create an issue titled "${user}" in octo/hello` }];
  const body = { model: 'openai/gpt-4o', stream: at % 2 === 0, user, messages, tools };
  return { path: '/v1/chat/completions', key, body, headers: { 'x-request-id': user } };
}

async function time(baseUrl: string, kind: Outcome['kind'], sent: Sent): Promise<Outcome> {
  const startMs = performance.now();
  const { status, code } = await send(baseUrl, sent).then(
    ({ status, text }) => ({ status, code: /"code":"(\w+)"/.exec(text)?.[1] ?? null }),
    () => ({ status: 0, code: 'connection_broken' }),
  );
  return { kind, status, code, startMs, endMs: performance.now() };
}
