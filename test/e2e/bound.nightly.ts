import { routingCalibration } from '@gateway/contracts';
import { startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import { connectEachFormat, createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { openAgent } from './agent-clients.fixture.ts';
import { flushCache, insist, loadToolSets } from './bound-conversations.fixture.ts';
import { listResults, serveBoundModel, type BoundModel } from './bound-model.fixture.ts';
import { result } from './conversations.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { openResponsesAgent } from './responses-agent.fixture.ts';

/**
 * Tests groups of conversations with bound reasoning in three formats. Between two turns, the test disturbs
 * the stack. The test restarts services, empties caches, or changes policies, settings or the compressor
 * version.
 */

const conversationsMax = 1_000;
const groupSize = 100;
const turnsPerConversation = 3;
const atOnce = 8;

let stack: StackUnderTest;
let provider: ReplayProvider;
let account: TestAccount;
let key: string;
/** The addresses of the edges that serve requests. The second edge runs the next release. */
let edges: string[];
let model: BoundModel;
const sets = loadToolSets();
const wanted = new Map<string, string>();
const undo: Undo[] = [];
const root = join(import.meta.dirname, '../..');

/**
 * Returns the build of a service with changes, as an unpacked image. The build simulates the next release.
 */
function buildNextRelease(directory: string, app: string, changes: readonly [RegExp, string][]) {
  const copy = join(directory, app);
  cpSync(join(root, 'dist/apps', app), copy, { recursive: true });
  const changed = new Set<RegExp>();
  for (const file of readdirSync(copy).filter((name) => name.endsWith('.js'))) {
    let code = readFileSync(join(copy, file), 'utf8');
    for (const [pattern, replacement] of changes) {
      if (pattern.test(code)) changed.add(pattern);
      code = code.replace(pattern, replacement);
    }
    writeFileSync(join(copy, file), code);
  }
  if (changed.size < changes.length)
    throw new Error(`the build of ${app} lacks code that this test replaces`);
  return { directory: root, command: [process.execPath, join(copy, 'main.js')], env: {} };
}

/** Builds the next release, in which version 2 of the context steps compresses no text. */
function buildNextReleases() {
  mkdirSync(join(root, '.data'), { recursive: true });
  const directory = mkdtempSync(join(root, '.data/next-release-'));
  undo.push(() => rmSync(directory, { recursive: true, force: true }));
  return {
    'edge-gateway-2': buildNextRelease(directory, 'edge-gateway', [
      [/\bcontextStepsVersion = 1;/, 'contextStepsVersion = 2;'],
    ]),
    'compressor-2': buildNextRelease(directory, 'compressor', [
      [/\bcontextStepsVersions = \[1\];/, 'contextStepsVersions = [1, 2];'],
      [/if \((\w+) === null\) return \{ text: \1,/, 'if ($1 === null || version === 2) return { text: null,'],
    ]),
  };
}

beforeAll(async () => {
  stack = await startStack({
    restartCrashed: true,
    replicas: { 'edge-gateway': 2, compressor: 2 },
    images: buildNextReleases(),
  });
  undo.push(() => stack.stop());
  await stack.service('compressor-2').stop();
  provider = await startProvider();
  undo.push(() => provider.close());
  edges = [stack.baseUrl];
  account = await createTestAccount(stack);
  key = (await createTestKey(stack.baseUrl, account.apiKey, { name: 'runs', rate_limit_rpm: 1_000_000 })).key;
  await connectEachFormat(stack.baseUrl, key, provider.url);
  model = serveBoundModel(provider, (text) => wanted.get(text));
}, 300_000);
afterAll(() => undoAll(undo), 60_000);

async function change(method: string, path: string, body: object): Promise<void> {
  const answer = await send(stack.baseUrl, { method, path, key: account.apiKey, body });
  expect(answer.status).toBe(200);
}
const prefer = (body: object) => change('PUT', '/v1/account/routing/preferences', body);

const emptyCache = () => flushCache(stack);

const restart = (name: string) => stack.service(name).restart();

/** Replaces the compressor with the compressor of the next release. Adds an edge of the next release. */
async function upgrade(): Promise<void> {
  await stack.service('compressor-2').start();
  await stack.service('compressor').stop();
  edges = [stack.baseUrl, edgeUrl(stack, 'tight')];
}

/**
 * Each group of conversations has two disturbances. Each disturbance happens at the start of a later turn.
 */
const events: readonly (readonly [() => Promise<unknown>, () => Promise<unknown>])[] = [
  [emptyCache, () => restart('tool-router')],
  [() => prefer({ pruning: { recall_target: 0.99 } }), () => restart('compressor')],
  [() => restart('edge-gateway'), () => prefer({ pruning: { mode: 'off' }, compression: { mode: 'off' } })],
  [
    () => prefer({ pruning: { mode: 'on', recall_target: 0.9 }, compression: { mode: 'lossless' } }),
    // A shadow share of 0.5 makes half of the conversations shadow conversations.
    // The worker computes routing policies from shadow conversations.
    () => change('PATCH', '/v1/account/me', { policy: { shadow_share: 0.5, shadow_share_learning: 0.5 } }),
  ],
  [upgrade, emptyCache],
  [() => restart('account'), () => Promise.all([emptyCache(), restart('edge-gateway')])],
  [() => restart('compressor-2'), () => restart('redis-cache')],
  [() => prefer({ compression: { mode: 'balanced' } }), () => restart('edge-gateway-2')],
  [
    () =>
      Promise.all([
        emptyCache(),
        restart('edge-gateway'),
        restart('edge-gateway-2'),
        restart('compressor-2'),
      ]),
    () => restart('worker'),
  ],
  [() => Promise.all([restart('tool-router'), restart('compressor-2')]), emptyCache],
];

const formats = [
  ['messages', 'anthropic/claude-opus-5-5'],
  ['converse', 'hosted/us.anthropic.claude-opus-5-5'],
  ['responses', 'openai/gpt-6.2-astra'],
] as const;
let requests = 0;

/** Runs one turn, which consists of a user question, tool calls with results, and the model's final response. */
async function takeTurn(at: number, turn: number, transcript: object[]): Promise<void> {
  const { tools, tasks } = sets[at % sets.length]!;
  const names = new Set(tools.map((tool) => tool.function.name));
  const [format, id] = formats[at % formats.length]!;
  const bits = Math.floor(at / formats.length);
  const options = {
    ...{ stream: (bits & 1) === 0, thinks: (bits & 2) === 0, marksNewest: (bits & 4) === 0, tools },
  };
  const { query, tool } = tasks[(at * turnsPerConversation + turn) % tasks.length]!;
  const text = `${query}\n(${at}.${turn})`;
  wanted.set(text, tool);
  for (let isDone = false; !isDone;) {
    requests += 1;
    const baseUrl = edges[requests % edges.length]!;
    const agent =
      format === 'responses'
        ? openResponsesAgent({ baseUrl, key, model: id })
        : openAgent(format, { baseUrl, key, model: id });
    if (!isWaiting(transcript)) transcript.push(agent.user(text));
    const answer = await insist(() => agent.ask(transcript, options));
    expect(answer).toMatchObject({ status: 200, error: null });
    for (const call of answer.calls) expect(names).toContain(call.name);
    const results = answer.calls.length === 0 ? [] : agent.results(answer, result(`${at}.${turn}`));
    transcript.push(...[answer.message].flat(), ...results);
    isDone = answer.calls.length === 0;
  }
}

/** Returns true if the model has not answered the last message of the transcript yet. */
const isWaiting = (transcript: readonly object[]): boolean => {
  const { role, type } = (transcript.at(-1) ?? {}) as { role?: string; type?: string };
  return role === 'user' || type === 'function_call_output';
};

async function runGroup(group: number): Promise<void> {
  const transcripts = Array.from({ length: groupSize }, (): object[] => []);
  for (let turn = 0; turn < turnsPerConversation; turn += 1) {
    const happening = turn === 0 ? undefined : events[group % events.length]![turn - 1]!();
    let next = 0;
    const work = async (): Promise<void> => {
      for (let own = next++; own < groupSize; own = next++)
        await takeTurn(group * groupSize + own, turn, transcripts[own]!);
    };
    await Promise.all([happening, ...Array.from({ length: atOnce }, work)]);
  }
}

const countCompressed = (): number =>
  provider.requests.filter(({ url, body }) => {
    const results = url.includes('/responses') ? [] : listResults(body.toString());
    return results.some((text) => !text.includes('\n'));
  }).length;

it(`${conversationsMax} conversations with bound reasoning: no request is rejected, and no reasoning is dropped`, async () => {
  expect(sets.map(({ tools }) => tools.length).every((length) => length > 50)).toBe(true);
  const policies = new Set<string | null>();
  for (let group = 0; group < conversationsMax / groupSize; group += 1) {
    await runGroup(group);
    const path = '/v1/account/routing/calibration';
    const calibration = await send(stack.baseUrl, { path, key: account.apiKey });
    policies.add(routingCalibration.parse(calibration.json()).version);
  }
  const kinds = new Map<string, number>();
  for (const { kind } of model.verdicts) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  process.stdout.write(
    `${JSON.stringify({ verdicts: Object.fromEntries(kinds), searches: model.searches, missed: model.missed.length, policies: [...policies], compressed: countCompressed() })}\n`,
  );
  expect(model.rules.violations).toEqual([]);
  expect([...kinds.keys()]).toEqual(['accepted']);
  expect(model.verdicts.length).toBeGreaterThan(conversationsMax * turnsPerConversation);
  expect(model.searches).toBeGreaterThan(0);
  expect(countCompressed()).toBeGreaterThan(conversationsMax);
  // During the test, the routing policy changed at least twice.
  expect(policies.size).toBeGreaterThan(2);
});
