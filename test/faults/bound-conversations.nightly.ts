import { startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import {
  connectEachFormat,
  createTestAccount,
  createTestKey,
  type TestAccount,
} from '../e2e/account.fixture.ts';
import { openAgent } from '../e2e/agent-clients.fixture.ts';
import { flushCache, insist, loadToolSets } from '../e2e/bound-conversations.fixture.ts';
import { serveBoundModel, type BoundModel } from '../e2e/bound-model.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { startProvider } from '../e2e/provider.fixture.ts';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';

const conversationsMax = 1_000;
const turnsPerConversation = 3;
const atOnce = 8;

let stack: StackUnderTest;
let provider: ReplayProvider;
let account: TestAccount;
let key: string;
/** The edge's base URL, which does not change when the edge restarts. */
let baseUrl: string;
let model: BoundModel;
const sets = loadToolSets();
const wanted = new Map<string, string>();
const undo: Undo[] = [];

beforeAll(async () => {
  stack = await startStack({ restartCrashed: true });
  undo.push(() => stack.stop());
  provider = await startProvider();
  undo.push(() => provider.close());
  ({ baseUrl } = stack);
  account = await createTestAccount(stack);
  key = (await createTestKey(stack.baseUrl, account.apiKey, { name: 'runs', rate_limit_rpm: 1_000_000 })).key;
  await connectEachFormat(stack.baseUrl, key, provider.url);
  model = serveBoundModel(provider, (text) => wanted.get(text));
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

async function setPruning(pruning: object): Promise<void> {
  const path = '/v1/account/routing/preferences';
  const answer = await send(stack.baseUrl, { method: 'PUT', path, key: account.apiKey, body: { pruning } });
  expect(answer.status).toBe(200);
}

const emptyCache = () => flushCache(stack);

/**
 * Disturbances during the run. Each key is the number of started conversations at which the disturbance
 * happens.
 */
const events: Readonly<Record<number, () => Promise<unknown>>> = {
  100: emptyCache,
  200: () => stack.service('tool-router').restart(),
  300: () => setPruning({ recall_target: 0.99 }),
  400: () => stack.service('compressor').restart(),
  500: () => stack.service('edge-gateway').restart(),
  600: () => setPruning({ mode: 'off' }),
  650: () => setPruning({ mode: 'on', recall_target: 0.9 }),
  700: () => stack.service('account').restart(),
  800: () => Promise.all([emptyCache(), stack.service('edge-gateway').restart()]),
  900: () => stack.service('redis-cache').restart(),
};

async function runConversation(at: number): Promise<void> {
  const { tools, tasks } = sets[at % sets.length]!;
  const names = new Set(tools.map((tool) => tool.function.name));
  const format = at % 2 === 0 ? 'messages' : 'converse';
  const id = format === 'messages' ? 'anthropic/claude-opus-5-5' : 'hosted/us.anthropic.claude-opus-5-5';
  const options = { stream: (at >> 1) % 2 === 0, thinks: (at >> 2) % 2 === 0, tools };
  const transcript: object[] = [];
  for (let turn = 0; turn < turnsPerConversation; turn += 1) {
    const { query, tool } = tasks[(at * turnsPerConversation + turn) % tasks.length]!;
    const text = `${query}\n(${at}.${turn})`;
    wanted.set(text, tool);
    for (let isDone = false; !isDone;) {
      const agent = openAgent(format, { baseUrl, key, model: id });
      if (transcript.length === 0 || !isWaiting(transcript)) transcript.push(agent.user(text));
      const answer = await insist(() => agent.ask(transcript, options));
      expect(answer).toMatchObject({ status: 200, error: null });
      for (const call of answer.calls) expect(names).toContain(call.name);
      transcript.push(answer.message, ...(answer.calls.length === 0 ? [] : agent.results(answer, 'ok')));
      isDone = answer.calls.length === 0;
    }
  }
}

/** Returns true if the model has not responded to the last message of the transcript yet. */
const isWaiting = (transcript: readonly object[]): boolean =>
  (transcript.at(-1) as { role?: string }).role === 'user';

it(`${conversationsMax} conversations with bound reasoning: no request is rejected, and no reasoning is dropped`, async () => {
  expect(sets.map(({ tools }) => tools.length).every((length) => length > 50)).toBe(true);
  let begun = 0;
  const disturbances: Promise<unknown>[] = [];
  const work = async (): Promise<void> => {
    while (begun < conversationsMax) {
      const at = begun;
      begun += 1;
      const event = events[at];
      if (event !== undefined) disturbances.push(event());
      await runConversation(at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await Promise.all(disturbances);
  const kinds = new Map<string, number>();
  for (const { kind } of model.verdicts) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  expect(model.rules.violations).toEqual([]);
  expect([...kinds.keys()]).toEqual(['accepted']);
  expect(model.verdicts.length).toBeGreaterThan(conversationsMax * turnsPerConversation);
  expect(model.searches).toBeGreaterThan(0);
  process.stdout.write(
    `${JSON.stringify({ requests: model.verdicts.length, searches: model.searches, missed: model.missed.length })}\n`,
  );
});
