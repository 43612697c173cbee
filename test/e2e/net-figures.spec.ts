import {
  billing,
  requestLogEntry,
  routingInsights,
  toolHealthPage,
  usageDayList,
  usageSummary,
  type RequestLogEntry,
} from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { countTokens } from '../../apps/compressor/src/text/count-tokens.ts';
import { eventually, untilDayLasts } from '../integration/stack.fixture.ts';
import { connectEachFormat, createTestAccount, createTestKey, waitForRow } from './account.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { callFor } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import {
  describeTools,
  question,
  recoveryToolName,
  throughRecovery,
  wanted,
} from './recovery-cases.fixture.ts';
import {
  anthropicClient,
  bedrockClient,
  openAiClient,
  type HeardAnswer,
  type NetClient,
  type NetClientGiven,
} from './sdk-clients.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { scriptModel, type ModelTurn } from './scripted-model.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
let provider: ReplayProvider;
/** Two API keys. The key `owner` is unrestricted, and the key `limited` may not use one of the tools. */
let owner: string;
let limited: string;

const [denied = ''] = githubTools.map((tool) => tool.function.name);
const describeWanted = describeTools('hidden1', wanted);
const callWanted = throughRecovery('shown1');

beforeAll(async () => {
  await untilDayLasts(120_000);
  provider = await startProvider();
  const account = await createTestAccount(stack);
  owner = (await createTestKey(baseUrl, account.apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  const created = await createTestKey(baseUrl, account.apiKey, { name: 'limited', rate_limit_rpm: 10_000 });
  limited = created.key;
  await connectEachFormat(baseUrl, owner, provider.url);
  const path = `/v1/account/keys/${created.id}/toollist`;
  const body = { allowed_tools: null, denied_tools: [denied] };
  expect((await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body })).status).toBe(200);
}, 180_000);
afterEach(() => provider.reset());
afterAll(() => provider.close());

const clients: readonly (readonly [string, (given: NetClientGiven) => NetClient, string])[] = [
  ['chat-completions', openAiClient, 'openai/gpt-4o-mini'],
  ['messages', anthropicClient, 'anthropic/claude-haiku-4-5'],
  ['converse', bedrockClient, 'hosted/amazon.nova-lite-v1:0'],
];
const seen: RequestLogEntry[] = [];

/** Sends one request, and returns the response together with its row in the request log. */
async function ask(client: NetClient, stream: boolean, turns: readonly ModelTurn[]) {
  scriptModel(provider, turns);
  const answer = await client.ask([{ user: question }], stream);
  const id = answer.header('x-request-id') ?? '';
  const row = requestLogEntry.parse(await waitForRow(baseUrl, owner, id));
  seen.push(row);
  return { answer, row };
}

interface SentTools {
  readonly tools?: readonly unknown[];
  readonly toolConfig?: { readonly tools: readonly unknown[] };
}
function sentTools(at: number): readonly string[] {
  const sent = JSON.parse(provider.requests.at(at)!.body.toString('utf8')) as SentTools;
  return (sent.tools ?? sent.toolConfig?.tools ?? []).map((tool) => JSON.stringify(tool));
}

function expectHeaders(answer: HeardAnswer, row: RequestLogEntry): void {
  expect(answer.header('x-svc-tools-input')).toBe(String(row.tools_offered));
  expect(answer.header('x-svc-tools-output')).toBe(String(row.tools_out));
  expect(answer.header('x-svc-prune-ratio')).toBe(`${row.tools_out}/${row.tools_offered}`);
}

describe.each(clients)('%s', (_format, open, model) => {
  describe.each([false, true])('streamed: %s', (stream) => {
    const client = (key: string) => open({ baseUrl, key, model, tools: githubTools });

    it('headers and log count the client’s tools and the tools that the provider received', async () => {
      const { answer, row } = await ask(client(limited), stream, [{ text: 'Done.' }]);
      expectHeaders(answer, row);
      const sent = sentTools(-1);
      expect(sent.filter((tool) => tool.includes(recoveryToolName))).toHaveLength(1);
      expect(row).toMatchObject({
        tools_offered: githubTools.length,
        tools_in: githubTools.length - 1,
        tools_out: sent.length,
        tools_pruned: githubTools.length - sent.length,
        estimated_tokens_saved: (githubTools.length - 1 - sent.length) * 100,
        recovery_tokens_deducted: 0,
      });
      expect(row.net_tokens_saved).toBe(row.estimated_tokens_saved + row.compression_tokens_saved);
    });

    it('recovery rounds reduce the credited savings, at most to zero', async () => {
      const few = { inputTokens: 400, outputTokens: 20 };
      const many = { inputTokens: 4_000_000, outputTokens: 20 };
      for (const [round, deducted] of [
        [few, 420],
        [many, Infinity],
      ] as const) {
        const { row } = await ask(client(owner), stream, [
          { calls: [describeWanted], ...round },
          { calls: [callWanted], inputTokens: 500, outputTokens: 30 },
        ]);
        const gross = row.estimated_tokens_saved + row.compression_tokens_saved;
        expect(gross).toBeGreaterThan(420);
        expect(row.recovery_tokens_deducted).toBe(Math.min(deducted, gross));
        expect(row.net_tokens_saved).toBe(gross - row.recovery_tokens_deducted);
        expect(row.estimated_tokens_saved).toBe((row.tools_in - row.tools_out) * 100);
        expect(row.tools_out).toBe(sentTools(0).length + 1);
        provider.reset();
      }
    });
  });
});

it('the measured savings are the tokens of the definitions that did not reach the model', async () => {
  const client = openAiClient({ baseUrl, key: owner, model: 'openai/gpt-4o-mini', tools: githubTools });
  const { row } = await ask(client, false, [{ text: 'Done.' }]);
  const sent = sentTools(-1);
  const names = sent.map((tool) => (JSON.parse(tool) as (typeof githubTools)[number]).function.name);
  const left = githubTools.filter((tool) => !names.includes(tool.function.name));
  const recoveryTool = sent.find((tool) => tool.includes(recoveryToolName))!;
  const measured = left.reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
  expect(row.tool_tokens_saved).toBe(measured - countTokens(recoveryTool));
  expect(row.tool_tokens_saved).not.toBe(row.estimated_tokens_saved);
});

it('the ledger, usage and billing have the same sums', async () => {
  const sum = (read: (row: RequestLogEntry) => number) => seen.reduce((total, row) => total + read(row), 0);
  const expected = {
    estimated_tokens_saved: sum((row) => row.estimated_tokens_saved),
    compression_tokens_saved: sum((row) => row.compression_tokens_saved),
    recovery_tokens_deducted: sum((row) => row.recovery_tokens_deducted),
    net_tokens_saved: sum((row) => row.net_tokens_saved),
  };
  expect(expected.recovery_tokens_deducted).toBeGreaterThan(0);
  const billed = await eventually(async () => {
    const { period } = await callFor(billing, 200, { path: '/v1/account/billing', key: owner });
    return period.requests >= seen.length ? period : undefined;
  });
  expect(billed).toMatchObject(expected);
  const summary = await callFor(usageSummary, 200, { path: '/v1/account/usage/summary', key: owner });
  expect(summary).toMatchObject({ ...expected, tool_tokens_saved: sum((row) => row.tool_tokens_saved ?? 0) });
  const path = '/v1/account/usage/daily?days=1';
  const { data } = await callFor(usageDayList, 200, { path, key: owner });
  expect(data[0]).toMatchObject(expected);
});

it('a tool that the model recovered does not lower the model’s tool recall', async () => {
  const client = openAiClient({ baseUrl, key: owner, model: 'openai/gpt-4.1-mini', tools: githubTools });
  for (let at = 0; at < 20; at += 1)
    await ask(client, false, [{ calls: [describeWanted] }, { calls: [callWanted] }]);
  const path = '/v1/account/routing/insights';
  const { best_recall } = await callFor(routingInsights, 200, { path, key: owner });
  expect(best_recall.find(({ model_id }) => model_id === 'gpt-4.1-mini')).toMatchObject({
    tool_recall: 1,
    samples: 20,
  });
});

it('context headers appear only if the compressor ran, and tool health also appears with pruning off', async () => {
  const account = await createTestAccount(stack);
  await connectEachFormat(baseUrl, account.apiKey, provider.url);
  const put = { pruning: { mode: 'off' }, compression: { mode: 'off' } };
  const path = '/v1/account/routing/preferences';
  expect((await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body: put })).status).toBe(200);
  const few = githubTools.slice(0, 5);
  const [called = ''] = few.map((tool) => tool.function.name);
  const client = openAiClient({ baseUrl, key: account.apiKey, model: 'openai/gpt-4o-mini', tools: few });
  await eventually(async () => {
    scriptModel(provider, [{ calls: [{ id: 'c', name: called, arguments: {} }] }]);
    const answer = await client.ask([{ user: question }], false);
    expect(answer.header('x-svc-tools-output')).toBe('5');
    const id = answer.header('x-request-id')!;
    const { k_reason } = requestLogEntry.parse(await waitForRow(baseUrl, account.apiKey, id));
    return k_reason === 'off' && answer.header('x-svc-ctx-tokens-in') === null ? true : undefined;
  });
  const health = await callFor(toolHealthPage, 200, {
    ...{ path: '/v1/account/tools/health?days=90', key: account.apiKey },
  });
  expect(health.data.map(({ name }) => name).sort()).toEqual(few.map((tool) => tool.function.name).sort());
  const requests = health.requests_considered;
  expect(requests).toBeGreaterThan(0);
  expect(health.data.find(({ name }) => name === called)?.stats).toMatchObject({
    ...{ offered: requests, forwarded: requests, called: requests, called_when_pruned: 0 },
    ...{ call_through_rate: 1 },
  });
});
