import { routingCalibration, type RequestDetail } from '@gateway/contracts';
import { sharedStack, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../integration/stack.fixture.ts';
import { connectEachFormat, createTestAccount, createTestKey, waitForRow } from './account.fixture.ts';
import { openAgent, type Agent, type AgentAnswer } from './agent-clients.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { callFor } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { openResponsesAgent } from './responses-agent.fixture.ts';
import { renderTurn } from './scripted-model.fixture.ts';
import { ScriptedModel, writeConversation, type Conversation } from './written-conversations.fixture.ts';

const { baseUrl } = sharedStack();
const model = 'openai/gpt-4o-mini';
const formats = ['chat-completions', 'responses'] as const;
type Format = (typeof formats)[number];

/** The data of one request as seen by the client, the provider and the log. */
interface Seen {
  readonly answer: object;
  readonly sent: readonly (readonly string[])[];
  readonly row: object;
  /** Whether the response contains a tool call. The worker measures only conversations with a tool call. */
  readonly isCalled: boolean;
}
type SeenByFormat = Readonly<Record<Format, readonly Seen[]>>;

interface Account {
  readonly agent: Omit<Agent, 'format'>;
  readonly key: string;
}
type Accounts = Readonly<Record<Format, Account>>;

/**
 * The maximum number of attempts at a comparison. On a busy machine, the router has too little time for its
 * usual ranking method, so two rankings of the same tools can differ. A real difference between the formats
 * appears in all attempts.
 */
const attemptsMax = 6;

/** Compares conversations on the Responses API with the same conversations on chat-completions. */
export async function compareFormats(count: number): Promise<void> {
  const provider = await startProvider();
  try {
    const run = serveConversations(provider);
    const all = Array.from({ length: count }, (_, id) => writeConversation(id));
    const seen = await comparePruned(provider, run, all.slice(Math.floor(count / 4)));
    // The compared conversations must cover pruned tools, later turns, recovery and compression.
    const rows = JSON.stringify(seen);
    for (const part of ['"frozen"', '"prior"', '"repeated_lines"', '"recovered"'])
      expect(rows).toContain(part);
    await compareShadows(provider, run, all.slice(0, Math.floor(count / 4)));
  } finally {
    await provider.close();
  }
}

type Run = (conversation: Conversation, accounts: Accounts) => Promise<SeenByFormat>;

/**
 * Makes the provider return the scripted model responses of each conversation. Returns a function that runs
 * one conversation in both formats.
 */
function serveConversations(provider: ReplayProvider): Run {
  const models = new Map<string, ScriptedModel>();
  provider.setControls(({ url, body }) => serve(models, url, JSON.parse(body.toString('utf8')) as Body));
  let runs = 0;
  return async (conversation, accounts) => {
    runs += 1;
    const name = `${conversation.id}-${runs}`;
    const [chat = [], responses = []] = await Promise.all(
      formats.map((format) => {
        const scripted = new ScriptedModel(conversation);
        models.set(`${format} ${name}`, scripted);
        return converse(conversation, name, scripted, accounts[format]);
      }),
    );
    return { 'chat-completions': chat, responses };
  };
}

/** Compares both formats' tool lists, recovery and log rows. Returns the data of the Responses API conversations. */
async function comparePruned(
  provider: ReplayProvider,
  run: Run,
  conversations: readonly Conversation[],
): Promise<unknown> {
  const accounts = await openAccounts(provider, 'on');
  // The tool router ranks new tools by keywords until their vectors are ready.
  await eventually(async () => {
    const { responses, ...chat } = await run({ ...writeConversation(0), tools: githubTools }, accounts);
    const isKnown = !JSON.stringify([responses, chat]).includes('"keyword"');
    return isKnown || undefined;
  });
  const compared = await inParallel(conversations, async (conversation) => {
    let seen = await run(conversation, accounts);
    for (let attempt = 1; attempt < attemptsMax && !isSame(seen); attempt += 1)
      seen = await run(conversation, accounts);
    return seen;
  });
  for (const seen of compared) expect(seen.responses).toEqual(seen['chat-completions']);
  return compared.map(({ responses }) => responses);
}

/** Compares both formats' shadow conversations and measured recall, in new accounts. */
async function compareShadows(
  provider: ReplayProvider,
  run: Run,
  conversations: readonly Conversation[],
): Promise<void> {
  const measureAll = async (): Promise<Readonly<Record<Format, unknown>>> => {
    const accounts = await openAccounts(provider, 'shadow');
    const compared = await inParallel(conversations, (conversation) => run(conversation, accounts));
    const called = compared.filter(({ responses }) => responses.some(({ isCalled }) => isCalled)).length;
    const [chat, responses] = await Promise.all(
      formats.map(async (format) => {
        const recall = await measureRecall(accounts[format].key, called);
        return { recall, seen: compared.map((seen) => seen[format]) };
      }),
    );
    return { 'chat-completions': chat, responses };
  };
  let measured = await measureAll();
  for (let attempt = 1; attempt < attemptsMax && !isSame(measured); attempt += 1)
    measured = await measureAll();
  expect(measured.responses).toEqual(measured['chat-completions']);
}

function isSame(seen: Readonly<Record<Format, unknown>>): boolean {
  return isDeepStrictEqual(seen.responses, seen['chat-completions']);
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const waiting = [...items];
  const done: Result[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) done.push(await run(next));
  };
  await Promise.all([work(), work(), work()]);
  return done;
}

async function openAccounts(provider: ReplayProvider, mode: 'on' | 'shadow'): Promise<Accounts> {
  const opened = formats.map(async (format) => {
    const { apiKey } = await createTestAccount(sharedStack());
    const { key } = await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 100_000 });
    await connectEachFormat(baseUrl, apiKey, provider.url);
    const body = { responses: { plan: true }, pruning: { mode } };
    const path = '/v1/account/routing/preferences';
    const answer = await send(baseUrl, { method: 'PUT', path, key: apiKey, body });
    if (answer.status !== 200) throw new Error(answer.text);
    const given = { baseUrl, key, model };
    return { key, agent: format === 'responses' ? openResponsesAgent(given) : openAgent(format, given) };
  });
  const [chat, responses] = await Promise.all(opened);
  return { 'chat-completions': chat!, responses: responses! };
}

interface Body {
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
}

function serve(models: ReadonlyMap<string, ScriptedModel>, url: string, body: Body): ReplayControls {
  const format = url.endsWith('/responses') ? 'responses' : 'chat-completions';
  const [, name = ''] = /Ticket ([\d-]+):/.exec(JSON.stringify(body)) ?? [];
  const names = (body.tools ?? []).map((tool) => tool.name ?? tool.function?.name ?? '');
  const turn = models.get(`${format} ${name}`)!.answer(names);
  return renderTurn(format, turn, body.stream === true);
}

/** The largest tool result in the conversations. The compressor shortens parts of the tool result. */
const listing = JSON.stringify(
  { entries: Array.from({ length: 30 }, (_, at) => ({ path: `src/file-${at}.ts`, size: at * 37 })) },
  null,
  2,
);

async function converse(
  { turns, tools, stream }: Conversation,
  name: string,
  scripted: ScriptedModel,
  { agent, key }: Account,
): Promise<Seen[]> {
  const transcript: object[] = [];
  const asked: { answer: AgentAnswer; sent: string[][] }[] = [];
  for (const [at, { said }] of turns.entries()) {
    transcript.push(agent.user(`Ticket ${name}: ${said}`));
    scripted.startTurn(at);
    for (;;) {
      scripted.sent = [];
      const answer = await agent.ask(transcript, { stream, tools });
      if (answer.status !== 200) throw new Error(`conversation ${name}: ${answer.text}`);
      asked.push({ answer, sent: scripted.sent });
      transcript.push(...[answer.message].flat());
      if (answer.calls.length === 0) break;
      transcript.push(...agent.results(answer, `${listing}\n${listing}`));
    }
  }
  return Promise.all(
    asked.map(async ({ answer, sent }) => {
      const row = await waitForRow(baseUrl, key, answer.header('x-request-id') ?? '');
      const isCalled = row.called_tools.length > 0;
      return { answer: summarize(answer), sent, row: describeRow(row), isCalled };
    }),
  );
}

function summarize({ said, calls, inputTokens, outputTokens, header }: AgentAnswer): object {
  const names = ['x-svc-tools-input', 'x-svc-tools-output', 'x-svc-routing', 'x-svc-recovered'];
  return {
    said: said.replaceAll(/\s+/g, ''),
    calls: calls.map((call) => ({ ...call, id: '' })),
    tokens: [inputTokens, outputTokens],
    headers: names.map(header),
  };
}

/** The fields of a request log row that do not depend on the format, the time or ids. */
function describeRow(row: RequestDetail): object {
  const { trace, compression_steps, compression } = row;
  const { intent, method, bucket, candidates } = trace;
  return {
    k: [row.k, row.k_reason],
    tools: [row.tools_in, row.tools_out, row.tools_pruned],
    lists: [row.forwarded_tools, row.called_tools, row.missed_tools, row.denied_tools],
    ...(row.recovered_tools.length === 0 ? {} : { recovered: row.recovered_tools }),
    tokens: [row.prompt_tokens, row.completion_tokens],
    trace: { intent, method, bucket },
    // In a shadow conversation, the current routing policy decides which tools the plan would send.
    candidates: candidates.map(({ name, rank, forwarded, called, always_in }) => [
      ...[name, rank, forwarded, called, always_in],
    ]),
    status: [row.status, row.lane, row.plan_defect],
    compression: [compression?.decision, compression_steps.map(({ step }) => step).toSorted()],
  };
}

async function measureRecall(key: string, conversations: number): Promise<object> {
  const { buckets, recovery_rate } = await eventually(async () => {
    const path = '/v1/account/routing/calibration';
    const read = await callFor(routingCalibration, 200, { path, key });
    const all = read.buckets.filter(({ bucket }) => !bucket.startsWith('*'));
    const measured = all.reduce((sum, { samples }) => sum + samples, 0);
    return measured >= conversations ? read : undefined;
  });
  const shown = buckets.map(({ bucket, samples, recall_at }) => ({ bucket, samples, recall_at }));
  return { recovery_rate, buckets: shown.toSorted((one, other) => one.bucket.localeCompare(other.bucket)) };
}
