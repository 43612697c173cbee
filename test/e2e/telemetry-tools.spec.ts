import { requestDetail, toolHealthPage, toolSuggestionPage, type RequestDetail } from '@gateway/contracts';
import type { ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import type { TestAccount } from './account.fixture.ts';
import { githubTools, type FunctionTool } from './github-tools.fixture.ts';
import { callFor } from './governance.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { connectOpenAi, enqueueCall, openAccount, waitForRows } from './telemetry.fixture.ts';

const calls = 4;
const question = 'Fetch the user with badge 4411';
const plant = (name: string, description: string, parameter: string): FunctionTool => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { [parameter]: { type: 'string', description: `The ${parameter}.` } },
    },
  },
});
const planted = [
  plant('get_user', 'Get a user of the company', 'badge_number'),
  plant('fetch_user', 'Fetch a user', 'login'),
];
const bare: FunctionTool = { type: 'function', function: { name: 'thing' } };

let provider: ReplayProvider;
let account: TestAccount;
/** Two tools from the tool list. The tool router ranks `meant` below `rival` for the test's question. */
let meant: string;
let rival: string;

async function ask(called: string): Promise<void> {
  enqueueCall(provider, called);
  await connectOpenAi(account.apiKey).chat.completions.create({
    ...{ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: question }] },
    tools: [bare, ...planted, ...githubTools],
  });
}

const readHealth = () =>
  callFor(toolHealthPage, 200, { path: '/v1/account/tools/health?limit=500', key: account.apiKey });

beforeAll(async () => {
  provider = await startProvider();
  account = await openAccount(provider);
  await ask('get_me');
  const [row] = await waitForRows(account.apiKey, 1);
  const detail: RequestDetail = await callFor(requestDetail, 200, {
    ...{ path: `/v1/account/requests/${row!.id}`, key: account.apiKey },
  });
  const ranks = detail.trace.candidates.filter(({ name }) =>
    planted.some((tool) => tool.function.name === name),
  );
  [rival, meant] = ranks.sort((one, other) => one.rank - other.rank).map(({ name }) => name) as [
    string,
    string,
  ];
  for (let at = 0; at < calls; at += 1) await ask(meant);
  await waitForRows(account.apiKey, calls + 1);
}, 120_000);
afterAll(() => provider.close());

test('tool health contains description scores, reasons for deductions, and advice', async () => {
  const { data } = await eventually(async () => {
    const read = await readHealth();
    return read.data.every(({ description_score }) => description_score !== null) ? read : undefined;
  });
  const find = (name: string) => data.find((tool) => tool.name === name)!;
  expect(find('thing').description_score).toBeLessThan(60);
  expect(find('thing').issues.map(({ code }) => code)).toEqual(['no_description', 'no_verb']);
  for (const { description_score, issues, suggestions } of data) {
    const lost = issues.reduce((sum, { points }) => sum + points, 0);
    expect(description_score).toBe(Math.max(0, 100 - lost));
    expect(suggestions).toHaveLength(issues.length);
  }
  expect(find('get_user').near_duplicates).toEqual([{ name: 'fetch_user', similarity: 1 }]);
  expect(find('list_releases')).toMatchObject({ description_score: 100, issues: [], near_duplicates: [] });
});

test('if the model calls a tool that ranks below a similar tool, tool health suggests a description with evidence', async () => {
  const { data } = await callFor(toolSuggestionPage, 200, {
    ...{ path: '/v1/account/tools/suggestions', key: account.apiKey },
  });
  const suggestion = data.find(({ tool, collides_with }) => tool === meant && collides_with === rival);
  expect(suggestion).toMatchObject({
    evidence: { calls, ranked_below: calls, similarity: 1, intents: [expect.any(String)] },
    expected_gain: { decisions: calls },
  });
  const { mean_rank_before, mean_rank_after } = suggestion!.expected_gain;
  expect(mean_rank_after).toBe(mean_rank_before - 1);
  const key = meant === 'get_user' ? 'badge number' : 'login';
  expect(suggestion!.suggested_description).toContain(key);
  expect(suggestion!.suggested_examples[0]).toContain(key);
});

test('another account cannot read the tool health', async () => {
  const { apiKey: key } = await openAccount(provider);
  const shown = await callFor(toolSuggestionPage, 200, { path: '/v1/account/tools/suggestions', key });
  expect(shown).toMatchObject({ data: [], total: 0, requests_considered: 0 });
});
