/**
 * Sends hostile texts and structures through a running gateway that logs contents. In the edge, tool router,
 * compressor and worker, no event loop may work for more than 100 ms without a pause. The test measures CPU
 * time, so the limit is reliable even on a busy machine.
 */
import { startReplayProvider, startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { connectEachFormat, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import { hostileChars } from './cpu-time.ts';
import { writeAnswer, writeError, writeSingleBytes, writeUnfinishedEvent } from './hostile/answers.ts';
import {
  chatEndpoints,
  proxiedKinds,
  writeChat,
  writeProxied,
  writeStructure,
  type ChatShape,
  type HostileRequest,
} from './hostile/requests.ts';
import { StallWatch } from './hostile/stall-watch.ts';
import { hostileStructures } from './hostile/structures.ts';
import { hostileTexts } from './hostile/texts.ts';

/**
 * The number of attempts per input. An input fails only if a service stalls in every attempt, because
 * compilation and garbage collection also add CPU time to some attempts.
 */
const attempts = 6;
const timeoutMs = 900_000;

let stack: StackUnderTest;
let provider: ReplayProvider;
let watch: StallWatch;
/** Two API keys of one account. The key `free` has no denied tools, and the key `listed` has one denied tool. */
let keys: { readonly free: string; readonly listed: string };
let requests = 0;
const undo: Undo[] = [];

async function open(): Promise<void> {
  provider = await startReplayProvider();
  undo.push(() => provider.close());
  const edge = { UPSTREAM_RETRIES_MAX: '0', PLAN_DEADLINE_MS: '6000' };
  stack = await startStack({ env: { 'edge-gateway': edge } });
  undo.push(() => stack.stop());
  watch = new StallWatch(stack);
  const { apiKey } = await createTestAccount(stack);
  await connectEachFormat(stack.baseUrl, apiKey, provider.url);
  await change(apiKey, '/v1/account/me', 'PATCH', {
    policy: { content_logging: true },
  });
  await change(apiKey, '/v1/account/routing/preferences', 'PUT', {
    compression: { mode: 'balanced' },
    pruning: { mode: 'on' },
  });
  const limits = { rate_limit_rpm: 100_000, daily_token_budget: 1e9, weekly_token_budget: 1e9 };
  const free = await createTestKey(stack.baseUrl, apiKey, { name: 'free', ...limits });
  const listed = await createTestKey(stack.baseUrl, apiKey, { name: 'listed', ...limits });
  await change(apiKey, `/v1/account/keys/${listed.id}/toollist`, 'PUT', { denied_tools: ['tool_3'] });
  keys = { free: free.key, listed: listed.key };
  await warmUp();
}

async function change(key: string, path: string, method: string, body: object): Promise<void> {
  const answer = await send(stack.baseUrl, { method, path, key, body });
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ path, status: 200 });
}

/** Sends ordinary requests first, so that the code is compiled before the attacks start. */
async function warmUp(): Promise<void> {
  const text = 'The weather in Paris is fine today.\n'.repeat(3_000);
  for (let round = 0; round < 3; round += 1)
    for (const shape of shapes)
      await post(writeHostileChat(shape, text), writeAnswer(formatOf(shape), shape.isStream, text));
  await watch.untilIdle();
}

/** Returns a different text for each request, so that no service can use a cached result. */
const mark = (): string => `request-${(requests += 1)}`;

const shapes: readonly ChatShape[] = [
  ...chatEndpoints.map((endpoint) => ({ endpoint, isStream: false, isTranslated: false })),
  ...chatEndpoints.map((endpoint) => ({ endpoint, isStream: true, isTranslated: true })),
  { endpoint: 'chat-completions', isStream: true, isTranslated: false },
];
const formatOf = ({ endpoint, isTranslated }: ChatShape) =>
  isTranslated ? (endpoint === 'chat-completions' ? 'messages' : 'chat-completions') : endpoint;
const nameOf = ({ endpoint, isStream, isTranslated }: ChatShape): string =>
  `${endpoint}, ${isStream ? 'streamed' : 'plain'}, ${isTranslated ? 'translated' : 'in the provider’s own format'}`;

/** Renders a conversation with the hostile text in every position. */
function writeHostileChat(shape: ChatShape, text: string): HostileRequest {
  const part = text.slice(0, text.length / 4);
  return writeChat(shape, { mark: mark(), user: part, result: part, argument: part, description: part });
}

async function post(
  { path, body, headers = {} }: HostileRequest,
  answer: ReturnType<typeof writeAnswer>,
  key = keys.free,
): Promise<number> {
  provider.reset();
  provider.setControls(() => answer);
  const { status } = await send(stack.baseUrl, { path, key, body, headers });
  return status;
}

type Attack = readonly [name: string, run: () => Promise<unknown>];

/**
 * Sends all attacks at the same time. If a service stalls, repeats the attacks one by one. Returns the
 * attacks that stall a service in all attempts.
 */
async function findStalling(attacks: readonly Attack[]): Promise<Readonly<Record<string, unknown>>> {
  const together = await watch.during(async () => {
    for (const [, run] of attacks) await run();
  });
  if (Object.keys(together).length === 0) return {};
  const found: Record<string, unknown> = {};
  for (const [name, run] of attacks) {
    const stalled = await stallsAlways(run);
    if (stalled !== null) found[name] = stalled;
  }
  return found;
}

async function stallsAlways(run: () => Promise<unknown>): Promise<object | null> {
  let stalled = {};
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    stalled = await watch.during(run);
    if (Object.keys(stalled).length === 0) return null;
  }
  return stalled;
}

/** Registers the tests. Each test uses every `groups`-th input, starting at a different input. */
export function describeStalls(groups: number): void {
  beforeAll(open, 300_000);
  afterAll(() => undoAll(undo), 120_000);
  const groupOf = <Input>(inputs: readonly Input[], group: number): Input[] =>
    inputs.filter((_, at) => at % groups === group % groups);
  const texts = Object.entries(hostileTexts);

  describe('no event loop stalls on hostile texts of 2 MiB', () => {
    test.each(shapes.map((shape, group) => [nameOf(shape), shape, group] as const))(
      '%s',
      async (_, shape, group) => {
        expect(await findStalling(groupOf(texts, group).map((text) => attackShape(shape, text)))).toEqual({});
      },
      timeoutMs,
    );

    test(
      'no event loop stalls on a text in one place, for a key with denied tools',
      async () => {
        expect(await findStalling(groupOf(texts, 1).flatMap(attackPlaces))).toEqual({});
      },
      timeoutMs,
    );

    test(
      'no event loop stalls on texts in proxied requests',
      async () => {
        expect(await findStalling(groupOf(texts, 2).flatMap(attackProxies))).toEqual({});
      },
      timeoutMs,
    );
  });

  describe('no event loop stalls on hostile structures of 2 MiB', () => {
    const structures = Object.keys(hostileStructures);
    test.each([false, true])(
      'no event loop stalls on translated requests: %s',
      async (isTranslated) => {
        const names =
          groups === 1 ? structures : structures.filter((_, at) => (at % 2 === 1) === isTranslated);
        expect(await findStalling(names.flatMap((name) => attackStructure(name, isTranslated)))).toEqual({});
      },
      timeoutMs,
    );

    test(
      'no event loop stalls on answers, whole or in single bytes',
      async () => {
        expect(await findStalling(attackAnswers())).toEqual({});
      },
      timeoutMs,
    );
  });
}

type NamedText = readonly [name: string, write: (chars: number) => string];

function attackShape(shape: ChatShape, [name, write]: NamedText): Attack {
  const text = write(hostileChars);
  const answer = writeAnswer(formatOf(shape), shape.isStream, text.slice(0, hostileChars / 4));
  return [name, () => post(writeHostileChat(shape, text), answer)];
}

function attackPlaces([name, write]: NamedText): Attack[] {
  const answer = writeAnswer('chat-completions', false, 'Done.');
  const shape = { endpoint: 'chat-completions', isStream: false, isTranslated: false } as const;
  const none = { user: '', result: '', argument: '', description: '' };
  const text = write(hostileChars);
  return (['user', 'result', 'description'] as const).map((place) => [
    `${name} as ${place}`,
    () => post(writeChat(shape, { mark: mark(), ...none, [place]: text }), answer, keys.listed),
  ]);
}

function attackProxies([name, write]: NamedText): Attack[] {
  const text = write(hostileChars);
  return proxiedKinds.map((kind) => [
    `${name}, ${kind}`,
    () => post(writeProxied(kind, text, mark()), writeError(text.slice(0, 1_000_000)), keys.listed),
  ]);
}

function attackStructure(name: string, isTranslated: boolean): Attack[] {
  const answer = writeAnswer(isTranslated ? 'messages' : 'chat-completions', false, 'Done.');
  return [keys.free, keys.listed].map((key, at) => [
    `${name}${at === 0 ? '' : ', with tool lists'}`,
    () => post(writeStructure(name, hostileChars, mark(), isTranslated), answer, key),
  ]);
}

function attackAnswers(): Attack[] {
  const shape = { endpoint: 'chat-completions', isStream: true, isTranslated: false } as const;
  const run = (answer: ReturnType<typeof writeAnswer>) => () => post(writeHostileChat(shape, 'Hi!'), answer);
  return [
    ['a stream in single bytes', run(writeSingleBytes('hostile '.repeat(16_000)))],
    ['an event that never ends, in single bytes', run(writeUnfinishedEvent(256 * 1024))],
    ['an error', run(writeError('"token":"\\"'.repeat(5_000)))],
  ];
}
