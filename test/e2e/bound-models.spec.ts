import { Redis } from 'ioredis';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { minifyJson } from '../../apps/compressor/src/compress-blocks/steps/minify-json.ts';
import { eventually } from '../integration/stack.fixture.ts';
import {
  connectEachFormat,
  createTestKey,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { openAgent, type Agent, type AskOptions } from './agent-clients.fixture.ts';
import { plainMessages, thoughtful, toMessagesTool } from './anthropic.fixture.ts';
import { listResults, serveBoundModel, type BoundModel } from './bound-model.fixture.ts';
import { result } from './conversations.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';
import { openAccount } from './telemetry.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const clear = 'Create a branch called login-fix in acme/widgets';
const names = githubTools.map((tool) => tool.function.name);
const messagesTools = githubTools.map(toMessagesTool);

let provider: ReplayProvider;
let account: TestAccount;
let key: string;
let opened = 0;

beforeAll(async () => {
  provider = await startProvider();
  account = await openAccount(provider);
  key = (await createTestKey(baseUrl, account.apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectEachFormat(baseUrl, key, provider.url);
  // The tool router has no cached vectors for the tool list, so planning may miss its deadline.
  const messages = [{ role: 'user', content: clear }];
  await eventually(async () => {
    provider.enqueue(null, plainAnswer);
    const answer = await postChat(baseUrl, key, { model: 'openai/gpt-4o', messages, tools: githubTools });
    return Number(answer.headers['x-svc-tools-output']) < names.length || undefined;
  });
  // Requests with the same first messages use one conversation plan, so each attempt has different first messages.
  await eventually(async () => {
    provider.enqueue(null, plainMessages(thoughtful));
    opened += 1;
    const messages = [{ role: 'user', content: `${clear} (warm-up ${opened})` }];
    const body = { model: anthropic.model, max_tokens: 4000, tools: messagesTools, messages };
    expect((await send(baseUrl, { path: '/v1/messages', key, body })).status).toBe(200);
    return lastBody().includes('defer_loading') || undefined;
  });
  provider.reset();
}, 120_000);
beforeEach(() =>
  setPreferences({ pruning: { mode: 'on', recall_target: 0.95 }, compression: { mode: 'lossless' } }),
);
afterEach(() => provider.reset());
afterAll(() => provider.close());

async function setPreferences(body: object): Promise<void> {
  const path = '/v1/account/routing/preferences';
  expect((await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body })).status).toBe(200);
}

/** Deletes all conversation data of the gateway in Redis. */
async function emptyCache(): Promise<number> {
  const redis = new Redis(stack.dev.redis_cache_url);
  const kept = (
    await Promise.all(['bound-plan:*', 'session:*', 'context:*'].map((keys) => redis.keys(keys)))
  ).flat();
  if (kept.length > 0) await redis.del(kept);
  redis.disconnect();
  return kept.length;
}

interface SentTool {
  readonly name: string;
  readonly defer_loading?: boolean;
}
const lastBody = (): string => provider.requests.at(-1)!.body.toString();
const sentTools = (): SentTool[] => (JSON.parse(lastBody()) as { tools: SentTool[] }).tools;
/** Returns the tool lists of all upstream requests, as JSON text. */
const sentLists = (): string[] =>
  provider.requests.map(({ body }) => {
    const { tools, toolConfig } = JSON.parse(body.toString()) as { tools?: unknown; toolConfig?: unknown };
    return JSON.stringify(tools ?? toolConfig);
  });

const questions: Readonly<Record<string, string>> = {
  [clear]: 'create_branch',
  'Now star that repository': 'star_repository',
  'And put the notes into a gist': 'create_gist',
};
const wants = (text: string): string | undefined =>
  Object.entries(questions).find(([question]) => text.startsWith(question))?.[1];

const anthropic = { format: 'messages', model: 'anthropic/claude-opus-5-5' } as const;
const hosted = { format: 'converse', model: 'hosted/us.anthropic.claude-opus-5-5' } as const;
const open = ({ format, model }: typeof anthropic | typeof hosted, url = baseUrl): Agent =>
  openAgent(format, { baseUrl: url, key, model });

/**
 * Sends all questions in one conversation, with the results of the tool calls. Returns the transcript. Each
 * conversation has a different first message.
 */
async function converse(
  agentFor: (turn: number) => Agent,
  options: AskOptions,
  between: (turn: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<object[]> {
  opened += 1;
  const transcript: object[] = [];
  for (const [turn, question] of Object.keys(questions).entries()) {
    const agent = agentFor(turn);
    transcript.push(agent.user(turn === 0 ? `${question} (${opened})` : question));
    for (let answered = false; !answered;) {
      const answer = await agent.ask(transcript, options);
      expect(answer).toMatchObject({ status: 200, error: null, isWhole: true });
      for (const call of answer.calls) expect(names).toContain(call.name);
      const results = answer.calls.length === 0 ? [] : agent.results(answer, result(`${opened}.${turn}`));
      transcript.push(answer.message, ...results);
      answered = answer.calls.length === 0;
    }
    await between(turn);
  }
  return transcript;
}

const expectUntouched = ({ rules, verdicts }: BoundModel): void => {
  expect(rules.violations).toEqual([]);
  expect(verdicts.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
};

const sentResults = (): string[] => listResults(lastBody());

describe.each([
  ['plain', { stream: false }],
  ['streamed, with markers', { stream: true, marksNewest: true }],
  ['plain, with the thinking field', { stream: false, thinks: true }],
  ['streamed, with the thinking field', { stream: true, thinks: true }],
])('%s', (_, options) => {
  it('Claude gets one constant list: the planned tools, and the deferred tools behind Claude’s tool search', async () => {
    const model = serveBoundModel(provider, wants);
    await converse(() => open(anthropic), options);
    expectUntouched(model);
    expect(model.missed).toEqual([]);
    // In later turns, additional messages load the needed tools.
    expect(model.loads).toBeGreaterThan(0);
    expect(new Set(sentLists()).size).toBe(1);
    const deferred = sentTools().filter(({ defer_loading }) => defer_loading);
    expect(deferred.length).toBeGreaterThan(names.length / 2);
    expect(sentTools().map(({ name }) => name)).toEqual([...names, 'tool_search_tool_bm25']);
    expect(deferred.map(({ name }) => name)).not.toContain('create_branch');
    expect(sentResults()).toEqual(
      Object.keys(questions).map((_, turn) => minifyJson(result(`${opened}.${turn}`))),
    );
  });

  it('the Converse API cannot defer tools, so a model gets a constant tool set without a recovery tool', async () => {
    const model = serveBoundModel(provider, wants);
    await converse(() => open(hosted), options);
    expectUntouched(model);
    expect(new Set(sentLists()).size).toBe(1);
    expect(lastBody()).not.toContain('svc_more_tools');
    expect(sentResults().length).toBeGreaterThan(0);
    for (const text of sentResults()) expect(text).not.toContain('\n');
  });
});

it.each([
  ['messages', anthropic],
  ['converse', hosted],
])(
  'a bound conversation’s tool list stays the same on other replicas, with emptied caches and after policy changes (%s)',
  async (_name, kind) => {
    const model = serveBoundModel(provider, wants);
    const replicas = [baseUrl, edgeUrl(stack, 'tight'), baseUrl];
    const changes = [
      { pruning: { recall_target: 0.99 } },
      { pruning: { mode: 'off' }, compression: { mode: 'off' } },
      { pruning: { mode: 'on', recall_target: 0.9 }, compression: { mode: 'balanced' } },
    ];
    await converse(
      (turn) => open(kind, replicas[turn]),
      { stream: false, marksNewest: true, tools: githubTools.slice(0, 60) },
      async (turn) => {
        expect(await emptyCache()).toBeGreaterThan(0);
        await setPreferences(changes[turn] ?? {});
      },
    );
    expectUntouched(model);
    expect(new Set(sentLists()).size).toBe(1);
    for (const text of sentResults()) expect(text).not.toContain('\n');
  },
);

it('tokens are counted with the tools of the conversation, because the provider also checks signatures in count requests', async () => {
  const model = serveBoundModel(provider, wants);
  const messages = await converse(() => open(anthropic), { stream: false });
  const sent = sentTools();
  const tools = sent
    .slice(0, -1)
    .map((tool) => Object.fromEntries(Object.entries(tool).filter(([name]) => name !== 'defer_loading')));
  const next = [...messages, { role: 'user', content: 'More' }];
  const body = JSON.stringify({ model: anthropic.model, messages: next, tools });
  const answer = await send(baseUrl, { path: '/v1/messages/count_tokens', key, body });
  expect(answer.json()).toEqual({ input_tokens: 100 });
  expectUntouched(model);
  expect(sentTools()).toEqual(sent);
});

it('the log shows the savings of a bound conversation', async () => {
  serveBoundModel(provider, wants);
  const body = { model: anthropic.model, max_tokens: 4000, tools: messagesTools };
  const messages = [{ role: 'user', content: `${clear} for the log` }];
  const answer = await send(baseUrl, {
    path: '/v1/messages',
    key,
    body: JSON.stringify({ ...body, messages }),
  });
  expect(answer.status).toBe(200);
  const row = await waitForRow(baseUrl, key, requestIdOf(answer));
  expect(row).toMatchObject({ tools_in: names.length, status: 'ok' });
  expect(row.k_reason).not.toBe('bound_thinking');
  expect(row.tools_out).toBeLessThan(names.length);
  expect(row.estimated_tokens_saved).toBeGreaterThan(0);
});

it('a transcript with signatures is sent unchanged if the conversation has no stored plan', async () => {
  const tools = JSON.stringify(messagesTools, null, 1);
  const first = `{"role":"user", "content":"Name a branch that nobody planned"}`;
  const signed = `{"role":"assistant","content":[{"type":"thinking","thinking":"h\\u006dm","signature":"Eq\\/B=="},{"type":"text","text":"Where?"}]}`;
  const second = `"messages":[${first},${signed},{"role":"user","content":"There."}]`;
  // Reasoning is turned off, but the transcript still contains reasoning signatures.
  for (const turn of [second, `${second},"thinking":{"type":"disabled"}`]) {
    const rest = `,"max_tokens":4000,${turn},"tools":${tools}}`;
    provider.enqueue(null, plainMessages(thoughtful));
    const body = `{"model":"anthropic/claude-opus-5-5"${rest}`;
    const answer = await send(baseUrl, { path: '/v1/messages', key, body });
    expect(answer.status).toBe(200);
    expect(lastBody()).toBe(`{"model":"claude-opus-5-5"${rest}`);
    const row = await waitForRow(baseUrl, key, requestIdOf(answer));
    expect(row).toMatchObject({ k_reason: 'bound_thinking', tools_out: names.length });
  }
});

it('a request to a model with bound reasoning is planned as usual if the response cannot contain reasoning', async () => {
  const rest = {
    model: 'anthropic/claude-haiku-5-5',
    max_tokens: 4000,
    messages: [{ role: 'user', content: clear }],
  };
  const expectPruned = async (path: string, body: object) => {
    provider.enqueue(null, plainMessages(thoughtful));
    const answer = await send(baseUrl, { path, key, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    expect(lastBody()).not.toContain('defer_loading');
    const row = await waitForRow(baseUrl, key, requestIdOf(answer));
    expect(row.k_reason).not.toBe('bound_thinking');
    expect(row.tools_out).toBeLessThan(names.length);
  };
  await expectPruned('/v1/messages', { ...rest, tools: messagesTools, thinking: { type: 'disabled' } });
  await expectPruned('/v1/chat/completions', { ...rest, tools: githubTools });
});

it('requests that contain only new messages (`thread`) are sent unchanged', async () => {
  const thread = { type: 'continue', previous_message_id: 'msg_1' };
  const messages = [{ role: 'user', content: clear }];
  for (const model of ['claude-haiku-4-5', 'claude-opus-5-5']) {
    provider.enqueue(null, plainMessages(thoughtful));
    const rest = { max_tokens: 4000, thread, messages, tools: messagesTools };
    const body = JSON.stringify({ model: `anthropic/${model}`, ...rest });
    const answer = await send(baseUrl, { path: '/v1/messages', key, body });
    expect(answer.status).toBe(200);
    expect(JSON.parse(lastBody())).toEqual({ model, ...rest });
    const row = await waitForRow(baseUrl, key, requestIdOf(answer));
    expect(row).toMatchObject({ k_reason: 'thread', tools_out: names.length });
  }
});

describe('a provider that rejects deferral in the first request', () => {
  it('after a provider rejects deferral, every tool is sent in this and all later requests of the conversation', async () => {
    const message = 'tools: defer_loading is not available';
    provider.enqueue(null, {
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message } },
      headers: { 'content-type': 'application/json' },
    });
    const model = serveBoundModel(provider, wants);
    await converse(() => open(anthropic), { stream: false }, emptyCache);
    expectUntouched(model);
    const lists = new Set(sentLists().slice(1));
    expect(lists.size).toBe(1);
    expect([...lists].join()).not.toContain('defer_loading');
    expect(sentTools()).toHaveLength(names.length);
  });
});
