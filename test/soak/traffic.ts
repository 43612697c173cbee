import { randomFrom } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { send, type Sent } from '../e2e/http.fixture.ts';

/** An account of the soak run. The working set is fixed, so all caches must reach a plateau. */
export interface SoakAccount {
  readonly apiKey: string;
  readonly chatKey: string;
  readonly upstreamUrl: string;
}

export interface TrafficOptions {
  readonly baseUrl: string;
  readonly accounts: readonly SoakAccount[];
  readonly durationMs: number;
  readonly perSecond: number;
}

/** The running totals of the traffic. */
export interface Totals {
  sent: number;
  /** Responses by kind of request and status, for example `chat 200`. */
  readonly outcomes: Map<string, number>;
}

/** The conversations of one account. Each conversation has four turns, which repeat for the whole run. */
const conversations = 24;
const turns = 4;
const tools = githubTools.slice(0, 24);
const clientsCount = 8;

/** Sends a fixed mix of requests at a constant rate until the run ends. */
export async function runTraffic(options: TrafficOptions, totals: Totals): Promise<void> {
  const startedAt = performance.now();
  const everyMs = (1_000 * clientsCount) / options.perSecond;
  const work = async (client: number): Promise<void> => {
    const random = randomFrom(client + 1);
    for (let round = 0; ; round += 1) {
      const dueMs = (round + client / clientsCount) * everyMs;
      await waitMs(Math.max(0, startedAt + dueMs - performance.now()));
      if (performance.now() - startedAt >= options.durationMs) return;
      const kind = chooseKind(random());
      const account = options.accounts[Math.floor(random() * options.accounts.length)]!;
      const status = await steps[kind]({ ...options, account, random }).catch(() => 0);
      totals.sent += 1;
      const outcome = `${kind} ${status}`;
      totals.outcomes.set(outcome, (totals.outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: clientsCount }, (_, client) => work(client)));
}

interface Step {
  readonly baseUrl: string;
  readonly account: SoakAccount;
  readonly random: () => number;
}

/** For each kind of request, the share in the traffic and a function that returns the response's status. */
const shares = {
  chat: 60,
  messages: 12,
  responses: 8,
  abandoned: 6,
  rejected: 4,
  key: 3,
  provider: 2,
  policy: 2,
  read: 3,
};
type Kind = keyof typeof shares;

function chooseKind(drawn: number): Kind {
  const kinds = Object.entries(shares) as [Kind, number][];
  let left = drawn * kinds.reduce((sum, [, share]) => sum + share, 0);
  return kinds.find(([, share]) => (left -= share) < 0)?.[0] ?? 'chat';
}

const steps: Readonly<Record<Kind, (step: Step) => Promise<number>>> = {
  chat: (step) => sendWhole(step, renderChat(step)),
  messages: (step) => sendWhole(step, renderMessages(step)),
  responses: (step) => sendWhole(step, renderResponses(step)),
  abandoned,
  rejected: async ({ baseUrl, random }) => {
    const key = `sk-svc-${'x'.repeat(40)}${Math.floor(random() * 20)}`;
    return (await send(baseUrl, { path: '/v1/chat/completions', key, body: '{"model":' })).status;
  },
  key: createAndRevoke,
  provider: ({ baseUrl, account }) =>
    statusOf(baseUrl, account, {
      ...{ method: 'PUT', path: '/v1/account/providers' },
      body: { provider: 'openai', base_url: `${account.upstreamUrl}/v1`, api_key: 'sk-upstream' },
    }),
  policy: ({ baseUrl, account, random }) =>
    statusOf(baseUrl, account, {
      ...{ method: 'PATCH', path: '/v1/account/me' },
      body: { name: `soak ${Math.floor(random() * 10)}` },
    }),
  read: ({ baseUrl, account, random }) => {
    const paths = [
      '/v1/account/requests?limit=50',
      '/v1/account/usage/daily',
      '/v1/account/keys',
      '/v1/models',
    ];
    return statusOf(baseUrl, account, { path: paths[Math.floor(random() * paths.length)]! });
  },
};

const statusOf = async (baseUrl: string, { apiKey }: SoakAccount, sent: Sent): Promise<number> =>
  (await send(baseUrl, { ...sent, key: apiKey })).status;

interface Turn {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly stream: boolean;
}

function drawTurn({ random }: Step): Turn {
  const name = Math.floor(random() * conversations);
  const count = 1 + Math.floor(random() * turns);
  const messages = Array.from({ length: 2 * count - 1 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: at % 2 === 0 ? `Conversation ${name}: list the open issues of repository ${at}.` : 'Done.',
  }));
  return { messages, stream: random() < 0.5 };
}

function renderChat(step: Step): Sent {
  const { messages, stream } = drawTurn(step);
  return { path: '/v1/chat/completions', body: { model: 'openai/gpt-4o', stream, messages, tools } };
}

function renderMessages(step: Step): Sent {
  const own = tools.map(({ function: { name, description, parameters } }) => ({
    ...{ name, description, input_schema: parameters },
  }));
  const body = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, ...drawTurn(step), tools: own };
  return { path: '/v1/messages', body };
}

function renderResponses(step: Step): Sent {
  const own = tools.map(({ function: { name, description, parameters } }) => ({
    ...{ type: 'function', name, description, parameters },
  }));
  const { messages, stream } = drawTurn(step);
  return {
    path: '/v1/responses',
    body: { model: 'openai/gpt-4o', store: false, stream, input: messages, tools: own },
  };
}

/** Chats use the client's pooled connections, and all other requests use new connections. */
function post({ baseUrl, account }: Step, { path, body }: Sent, signal: AbortSignal): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.chatKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
}

async function sendWhole(step: Step, sent: Sent): Promise<number> {
  const answer = await post(step, sent, AbortSignal.timeout(20_000));
  await answer.text();
  return answer.status;
}

/** Sends a streaming chat, and disconnects before the end of the response. */
async function abandoned(step: Step): Promise<number> {
  const sent = renderChat(step);
  const controller = new AbortController();
  const pending = post(
    step,
    { ...sent, body: { ...(sent.body as object), stream: true } },
    controller.signal,
  );
  setTimeout(() => controller.abort(), 2 + 10 * step.random());
  await pending.then((answer) => answer.text()).catch(() => undefined);
  return 499;
}

/** Creates a key, uses it for a chat, and revokes it. */
async function createAndRevoke(step: Step): Promise<number> {
  const { baseUrl, account } = step;
  const body = { name: 'short-lived', scopes: ['inference'] };
  const created = await send(baseUrl, { path: '/v1/account/keys', key: account.apiKey, body });
  if (created.status !== 201) return created.status;
  const { id, key } = created.json() as { id: string; key: string };
  await sendWhole({ ...step, account: { ...account, chatKey: key } }, renderChat(step));
  return statusOf(baseUrl, account, { method: 'DELETE', path: `/v1/account/keys/${id}` });
}
