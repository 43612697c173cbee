/** Causes prompt cache misses on purpose, and expects the cache report to list each cause. */
import { requestLogPage, usageCache, type CacheMiss, type RequestLogEntry } from '@gateway/contracts';
import type { PlannedFormat } from '@gateway/interchange';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import pg from 'pg';
import { eventually } from '../integration/stack.fixture.ts';
import { connectEachFormat, createTestAccount, createTestKey } from './account.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { call, callFor } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { PromptCache } from './prompt-cache.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const cache = new PromptCache();
const preferences = '/v1/account/routing/preferences';
let provider: ReplayProvider;
let database: pg.Pool;
let accountId: string;
let apiKey: string;
let key: string;

type Tool = (typeof githubTools)[number];

/** A prompt, independent of any wire format. */
interface Prompt {
  readonly model: string;
  readonly tools: readonly Tool[];
  readonly system: string;
  /** The messages of the user and the model, alternately. The user writes the first message. */
  readonly messages: readonly string[];
}

const mark = { cache_control: { type: 'ephemeral' } };
const point = { cachePoint: { type: 'default' } };
const roleAt = (at: number) => (at % 2 === 0 ? 'user' : 'assistant');
const isLast = (at: number, list: readonly unknown[]) => at === list.length - 1;

interface Format {
  readonly models: readonly [string, string];
  path(model: string): string;
  render(prompt: Prompt): object;
}

const formats: Readonly<Record<PlannedFormat, Format>> = {
  'chat-completions': {
    models: ['openai/gpt-4o-mini', 'openai/gpt-4o'],
    path: () => '/v1/chat/completions',
    render: ({ model, tools, system, messages }) => ({
      ...{ model, tools },
      messages: [
        { role: 'system', content: system },
        ...messages.map((content, at) => ({ role: roleAt(at), content })),
      ],
    }),
  },
  messages: {
    models: ['anthropic/claude-haiku-4-5', 'anthropic/claude-sonnet-4-5'],
    path: () => '/v1/messages',
    render: ({ model, tools, system, messages }) => ({
      ...{ model, max_tokens: 10 },
      tools: tools.map(({ function: { name, description, parameters } }, at) => ({
        ...{ name, description, input_schema: parameters },
        ...(isLast(at, tools) ? mark : {}),
      })),
      system: [{ type: 'text', text: system, ...mark }],
      messages: messages.map((text, at) => ({
        role: roleAt(at),
        content: isLast(at, messages) ? [{ type: 'text', text, ...mark }] : [{ type: 'text', text }],
      })),
    }),
  },
  converse: {
    models: ['hosted/eu.anthropic.claude-haiku-4-5-20251001-v1:0', 'hosted/eu.anthropic.claude-opus-4-8'],
    path: (model) => `/model/${encodeURIComponent(model)}/converse`,
    render: ({ tools, system, messages }) => ({
      toolConfig: {
        tools: [
          ...tools.map(({ function: { name, description, parameters } }) => ({
            toolSpec: { name, description, inputSchema: { json: parameters } },
          })),
          point,
        ],
      },
      system: [{ text: system }, point],
      messages: messages.map((text, at) => ({
        role: roleAt(at),
        content: isLast(at, messages) ? [{ text }, point] : [{ text }],
      })),
    }),
  },
};

const tools = githubTools.slice(0, 40);
const instructions = 'You help with the repositories of a company. '.repeat(200);
const notes = 'The meeting decided to move the release to May. '.repeat(60);

const openingOf = (conversation: number, format: Format): Prompt => ({
  ...{ model: format.models[0], tools, system: instructions },
  messages: [`This is conversation ${conversation}.`, 'Hello.', `Summarize: ${notes}`],
});

const nextOf = (prompt: Prompt): Prompt => ({
  ...prompt,
  messages: [...prompt.messages, 'May.', 'And why?'],
});

/** A change between two requests of a conversation, and the cache miss that the cache report should show. */
interface Planted {
  readonly expected: Pick<CacheMiss, 'cause' | 'detail'> | null;
  change?(prompt: Prompt, format: Format): Prompt;
  readonly happens?: 'evicted' | 'expired' | 'pruned';
}

const planted: readonly Planted[] = [
  { expected: null },
  {
    expected: { cause: 'client', detail: 'tools_reordered' },
    change: (prompt) => ({ ...prompt, tools: prompt.tools.toReversed() }),
  },
  {
    expected: { cause: 'client', detail: 'tools_changed' },
    change: (prompt) => ({ ...prompt, tools: prompt.tools.slice(1) }),
  },
  {
    expected: { cause: 'client', detail: 'system_changed' },
    change: (prompt) => ({ ...prompt, system: `${prompt.system} Today is Monday.` }),
  },
  {
    expected: { cause: 'client', detail: 'message_edited' },
    change: (prompt) => ({
      ...prompt,
      messages: prompt.messages.with(2, `Summarize: ${notes.slice(0, 1_000)}`),
    }),
  },
  {
    expected: { cause: 'client', detail: 'model_changed' },
    change: (prompt, { models }) => ({ ...prompt, model: models[1] }),
  },
  { expected: { cause: 'gateway', detail: 'tools_changed' }, happens: 'pruned' },
  { expected: { cause: 'expired', detail: 'idle' }, happens: 'expired' },
  { expected: { cause: 'provider', detail: 'evicted' }, happens: 'evicted' },
];

/**
 * The number of conversations for each format and cause. In total, 408 conversations cause a cache miss, and
 * 51 conversations do not.
 */
const conversationsEach = 17;

interface Talk {
  readonly id: number;
  readonly format: Format;
  readonly plant: Planted;
  readonly opening: Prompt;
}

const talks: readonly Talk[] = Object.values(formats)
  .flatMap((format) =>
    planted.flatMap((plant) => Array.from({ length: conversationsEach }, () => ({ format, plant }))),
  )
  .map(({ format, plant }, id) => ({ id, format, plant, opening: openingOf(id, format) }));

const sessionOf = ({ id }: Talk) => `talk-${id}`;

async function ask(talk: Talk, prompt: Prompt, by = key): Promise<void> {
  const { format } = talk;
  const headers = { 'x-svc-session-id': sessionOf(talk) };
  const path = format.path(prompt.model);
  const answer = await send(baseUrl, { path, key: by, headers, body: format.render(prompt) });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
}

/** Runs `work` for each conversation, four conversations at a time. */
async function forEach(chosen: readonly Talk[], work: (talk: Talk) => Promise<void>): Promise<void> {
  const waiting = [...chosen];
  const run = async (): Promise<void> => {
    for (let talk = waiting.shift(); talk !== undefined; talk = waiting.shift()) await work(talk);
  };
  await Promise.all(Array.from({ length: 4 }, run));
}

/** Waits until the request log has the given number of rows, and returns all rows. */
async function readRows(count: number): Promise<RequestLogEntry[]> {
  const page = (offset: number) =>
    callFor(requestLogPage, 200, { path: `/v1/account/requests?limit=500&offset=${offset}`, key });
  await eventually(async () => ((await page(0)).total >= count ? true : undefined));
  const pages = await Promise.all(Array.from({ length: Math.ceil(count / 500) }, (_, at) => page(at * 500)));
  return pages.flatMap(({ data }) => data);
}

const limits = { name: 'fast', rate_limit_rpm: 10_000, k_target_override: 2 };

async function setPruning(mode: 'on' | 'off'): Promise<void> {
  await call(200, { method: 'PUT', path: preferences, key, body: { pruning: { mode } } });
}

beforeAll(async () => {
  provider = await startProvider();
  provider.setControls(cache.answer);
  database = new pg.Pool({ connectionString: stack.dev.postgres.telemetry, max: 1 });
  const account = await createTestAccount(stack);
  ({ accountId, apiKey } = account);
  ({ key } = await createTestKey(baseUrl, apiKey, limits));
  await connectEachFormat(baseUrl, key, provider.url);
  await call(200, { method: 'PUT', path: preferences, key, body: { compression: { mode: 'off' } } });
  await setPruning('off');
}, 60_000);
afterAll(async () => {
  await provider.close();
  await database.end();
});

it('the cache report names the causes of deliberate cache misses, with their tokens', async () => {
  await forEach(talks, (talk) => ask(talk, talk.opening));
  await readRows(talks.length);
  await forget(talks.filter(({ plant }) => plant.happens === 'expired'));
  const [pruned, plain] = [true, false].map((isPruned) =>
    talks.filter(({ plant }) => (plant.happens === 'pruned') === isPruned),
  );
  await forEach(plain ?? [], (talk) =>
    ask(talk, (talk.plant.change ?? keep)(nextOf(talk.opening), talk.format)),
  );
  await setPruning('on');
  // The gateway has no cached preferences for a new API key, so the new preferences apply immediately.
  const pruning = (await createTestKey(baseUrl, apiKey, limits)).key;
  await forEach(pruned ?? [], (talk) => ask(talk, nextOf(talk.opening), pruning));
  const rows = await readRows(talks.length * 2);
  const judged = talks.map((talk) => judge(talk, rows));
  const wrong = judged.filter(({ isRight }) => !isRight);
  const planned = judged.filter(({ talk }) => talk.plant.expected !== null).length;
  process.stdout.write(
    `${planned} planted misses and ${judged.length - planned} requests without one: ${judged.length - wrong.length} named right\n`,
  );
  for (const { talk, miss, missed } of wrong.slice(0, 10))
    process.stdout.write(`${JSON.stringify({ id: talk.id, ...talk.plant.expected, missed, miss })}\n`);
  expect(planned).toBeGreaterThanOrEqual(400);
  expect(1 - wrong.length / judged.length).toBeGreaterThanOrEqual(0.95);
}, 240_000);

const keep = (prompt: Prompt): Prompt => prompt;

/**
 * Removes the prompts of expired and evicted conversations from the test provider's prompt cache. For expired
 * conversations, also sets the cache lifetime in the log to zero.
 */
async function forget(expired: readonly Talk[]): Promise<void> {
  for (const { id } of [...expired, ...talks.filter(({ plant }) => plant.happens === 'evicted')])
    cache.evict(String(id));
  await database.query(
    `UPDATE request_log SET prompt = jsonb_set(prompt, '{ttlSeconds}', '0') WHERE account_id = $1 AND session_id = ANY($2)`,
    [accountId, expired.map(sessionOf)],
  );
}

function judge(talk: Talk, rows: readonly RequestLogEntry[]) {
  const own = rows.filter(({ session_id }) => session_id === sessionOf(talk));
  const miss = own.find(({ cache_miss }) => cache_miss !== null)?.cache_miss ?? null;
  const missed = cache.usesOf(String(talk.id)).at(-1)?.missed ?? NaN;
  const { expected } = talk.plant;
  const isNamed = miss?.cause === expected?.cause && miss?.detail === expected?.detail;
  const isCounted = expected === null || Math.abs((miss?.tokens ?? 0) - missed) <= missed * 0.02;
  return { talk, miss, missed, isRight: isNamed && isCounted };
}

it('the sums in the cache report match the log, for all requests and for one session', async () => {
  const rows = (await readRows(talks.length * 2)).filter(({ cache_miss }) => cache_miss !== null);
  const report = await callFor(usageCache, 200, { path: '/v1/account/usage/cache', key });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  expect(report).toMatchObject({
    requests: talks.length * 2,
    missed_requests: rows.length,
    missed_tokens: sum(rows.map(({ cache_miss }) => cache_miss?.tokens ?? 0)),
    missed_usd: expect.closeTo(sum(rows.map(({ cache_miss }) => cache_miss?.usd ?? NaN)), 9) as number,
  });
  expect(sum(report.causes.map(({ tokens }) => tokens))).toBe(report.missed_tokens);
  const talk = talks.find(({ plant }) => plant.expected?.detail === 'system_changed');
  const path = `/v1/account/usage/cache?session_id=${sessionOf(talk!)}`;
  expect(await callFor(usageCache, 200, { path, key })).toMatchObject({
    ...{ requests: 2, missed_requests: 1 },
    causes: [{ cause: 'client', detail: 'system_changed', requests: 1 }],
  });
});
