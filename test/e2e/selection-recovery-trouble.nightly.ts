import { anthropicError, openAiError, sharedStack, type ReplayControls } from '@gateway/testing';
import { waitForRow } from './account.fixture.ts';
import { openAgent, type Agent } from './agent-clients.fixture.ts';
import { startEdge, type EdgeProcess } from '../faults/edge-process.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { converseError } from './bedrock.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import {
  deliveries,
  describeTools,
  eachFormat,
  everyTool,
  openBench,
  question,
  recoveryToolName,
  shownCall,
  throughRecovery,
  wanted,
  type RecoveryBench,
  type RecoveryCase,
} from './recovery-cases.fixture.ts';
import { renderAnswer, type ModelTurn } from './scripted-model.fixture.ts';

const stack = sharedStack();
let bench: RecoveryBench;

// Each test uses its own account, because the gateway sends fewer requests to a provider that failed.
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.provider.close());

const asking: ModelTurn = { calls: [describeTools('hidden1', wanted)], inputTokens: 900, outputTokens: 9 };
const calling: ModelTurn = { calls: [throughRecovery('shown1')], inputTokens: 2_000, outputTokens: 20 };

/** Provider failures in a recovery round, in the client's format. */
const troubles: readonly (readonly [string, (kind: RecoveryCase) => ModelTurn | ReplayControls])[] = [
  ['a 429 with a long pause', (kind) => ({ ...errorOf(kind, 429), retryAfterMs: 600_000 })],
  ['a 500 that is not worth a retry', (kind) => noRetry(errorOf(kind, 500))],
  ['a reset before the headers', () => ({ status: 200, resetAtByte: 'before-headers' })],
  ['a response that is cut', () => ({ ...calling, sending: { chunkBytes: 20, resetAtByte: 20 } })],
];

function errorOf({ format }: RecoveryCase, status: 429 | 500): ReplayControls {
  if (format === 'messages') return anthropicError(status);
  if (format === 'chat-completions') return openAiError(status);
  return converseError(status, status === 429 ? 'ThrottlingException' : 'InternalServerException');
}

function noRetry(controls: ReplayControls): ReplayControls {
  return { ...controls, headers: { ...controls.headers, 'x-should-retry': 'false' } };
}

/** Makes the provider fail in all recovery rounds. */
function failRounds(first: ModelTurn, failed: ModelTurn | ReplayControls, last: ModelTurn): void {
  bench.provider.setControls(({ url, body }) => {
    const raw = body.toString('utf8');
    const isLast = !raw.includes(`"name":"${recoveryToolName}","description"`);
    const turn = isLast ? last : raw.includes('hidden1') ? failed : first;
    return renderAnswer(turn, { url, body });
  });
}

describe.each(eachFormat)('%s', (_, kind) => {
  const cached = kind.cached === true;

  describe.each(troubles)('%s in a recovery round', (_trouble, failing) => {
    it.each(deliveries)(
      'the client gets an ordinary answer if no bytes were sent before the failure: %s',
      async (_delivery, stream) => {
        failRounds(asking, failing(kind), { text: 'Hello.' });
        const agent = bench.open(kind);
        const begun = [agent.user(question)];
        const answer = await agent.ask(begun, { stream, cached });
        expect(answer).toMatchObject({ status: 200, said: 'Hello.', isWhole: true, error: null });
        const last = bench.sent().at(-1);
        expect(last?.tools).toEqual(everyTool);
        expect(last?.messages).toEqual(begun);
        const row = await bench.rowOf(answer);
        expect(row.status).toBe('ok');
        expect(row.prompt_tokens).toBeGreaterThanOrEqual(1_000);
      },
    );

    it('the last request continues the answer if the client already received text', async () => {
      const first = { ...asking, text: 'Let me see.' };
      failRounds(first, failing(kind), { text: 'Here it is.', calls: [shownCall] });
      const agent = bench.open(kind);
      const answer = await agent.ask([agent.user(question)], { stream: true, cached });
      expect(answer.said.replace(/\s+/g, '')).toBe('Letmesee.Hereitis.');
      expect(answer).toMatchObject({ calls: [shownCall], isWhole: true, error: null });
      const last = bench.sent().at(-1);
      expect(last?.tools).toEqual(everyTool);
      expect(last?.messages).toHaveLength(3);
    });
  });

  it('the last request also continues the answer after an error event at the beginning of a recovery round', async () => {
    bench.script(
      { ...asking, text: 'Let me see.' },
      { breaks: true },
      { text: 'Here it is.', calls: [shownCall] },
    );
    const agent = bench.open(kind);
    const answer = await agent.ask([agent.user(question)], { stream: true, cached });
    expect(answer.said.replace(/\s+/g, '')).toBe('Letmesee.Hereitis.');
    expect(answer).toMatchObject({ calls: [shownCall], isWhole: true, error: null });
  });

  it('if a round breaks after its text, the stream ends with an error in the client’s format and no success terminator', async () => {
    bench.script({ ...asking, text: 'Let me see.' }, { text: 'Now', breaks: true, inputTokens: 1_000 });
    const agent = bench.open(kind);
    const answer = await agent.ask([agent.user(question)], { stream: true, cached });
    expect(answer).toMatchObject({ isWhole: false, calls: [] });
    expect(answer.error).not.toBeNull();
    expect(answer.said).toContain('Let me see.');
    expect(bench.provider.requests).toHaveLength(2);
    const row = await bench.rowOf(answer);
    expect(row.status).toBe('truncated');
    expect(row.prompt_tokens).toBeGreaterThan(900);
  });

  it.each(deliveries)(
    'if a provider fails in every attempt, the client receives the provider’s error: %s',
    async (_delivery, stream) => {
      const busy = { ...errorOf(kind, 429), retryAfterMs: 600_000 };
      bench.script(asking, busy, busy, busy);
      const agent = bench.open(kind);
      const answer = await agent.ask([agent.user(question)], { stream, cached });
      expect(answer.status).toBe(429);
      expect(answer.header('retry-after')).toBe('600');
      expect(bench.provider.requests).toHaveLength(3);
    },
  );

  it.each(deliveries)(
    'every round is billed, and the cost of recovery is deducted from the savings: %s',
    async (_delivery, stream) => {
      bench.script(asking, calling);
      const agent = bench.open(kind);
      const answer = await agent.ask([agent.user(question)], { stream, cached });
      expect(answer).toMatchObject({ calls: [shownCall], inputTokens: 2_000, outputTokens: 29 });
      expect(answer.text).not.toContain(recoveryToolName);
      const row = await bench.rowOf(answer);
      expect(row).toMatchObject({ prompt_tokens: 2_900, completion_tokens: 29, usage_estimated: false });
      expect(row.provider_savings_usd).toBeLessThan(row.gross_savings_usd ?? 0);
    },
  );
});

describe('a provider that stops responding in a recovery round', () => {
  let edge: EdgeProcess;
  beforeAll(async () => {
    edge = await startEdge(stack, { UPSTREAM_TIMEOUT_MS: '3000' });
  }, 90_000);
  afterAll(() => edge.stop());

  const silences: readonly (readonly [string, ModelTurn | ReplayControls])[] = [
    ['before its headers', { status: 200, hang: 'before-headers' }],
    ['within its response', { ...calling, sending: { hang: 20 } }],
  ];
  const openAt = ({ format, model }: RecoveryCase): Agent =>
    openAgent(format, { baseUrl: edge.baseUrl, key: bench.key, model });

  describe.each(eachFormat)('%s', (_, kind) => {
    const cached = kind.cached === true;

    it.each(silences)(
      'the client gets an ordinary answer if the provider stops %s',
      async (_place, silent) => {
        failRounds(asking, silent, { text: 'Hello.' });
        const agent = openAt(kind);
        const answer = await agent.ask([agent.user(question)], { stream: true, cached });
        expect(answer).toMatchObject({ status: 200, said: 'Hello.', isWhole: true, error: null });
      },
    );

    it.each(silences)(
      'if the provider stops %s after the client received text, the last request continues the answer',
      async (_place, silent) => {
        failRounds({ ...asking, text: 'Let me see.' }, silent, { text: 'Here it is.', calls: [shownCall] });
        const agent = openAt(kind);
        const answer = await agent.ask([agent.user(question)], { stream: true, cached });
        expect(answer.said.replace(/\s+/g, '')).toBe('Letmesee.Hereitis.');
        expect(answer).toMatchObject({ calls: [shownCall], isWhole: true, error: null });
      },
    );
  });
});

it('the usage of rounds without reported usage is estimated and deducted from the savings', async () => {
  bench.script({ ...asking, isUnmetered: true }, { ...calling, isUnmetered: true });
  const agent = bench.open({ format: 'chat-completions', model: 'openai/gpt-4o-mini' });
  const answer = await agent.ask([agent.user(question)], { stream: true });
  expect(answer.calls).toEqual([shownCall]);
  const sentBytes = bench.provider.requests.reduce((sum, { body }) => sum + body.length, 0);
  const row = await bench.rowOf(answer);
  expect(row.usage_estimated).toBe(true);
  expect(Math.abs((row.prompt_tokens ?? 0) - sentBytes / 4)).toBeLessThan(3);
  expect(row.provider_savings_usd).toBeLessThan(row.gross_savings_usd ?? 0);
});

it('the gateway makes no provider call after the client has disconnected in a recovery round', async () => {
  bench.script({ ...asking, text: 'Wait.' }, { status: 200, hang: 'before-headers' });
  const leaving = new AbortController();
  const asked = fetch(`${stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bench.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-4o-mini',
      stream: true,
      messages: [{ role: 'user', content: question }],
      tools: githubTools,
    }),
    signal: leaving.signal,
  });
  const response = await asked;
  await waitUntil(() => bench.provider.requests.length === 2);
  leaving.abort();
  await response.text().catch(() => undefined);
  await waitUntil(() => bench.provider.requests[1]?.ended === 'client-left');
  const id = response.headers.get('x-request-id') ?? '';
  const row = await waitForRow(stack.baseUrl, bench.key, id);
  expect(row).toMatchObject({ status: 'cancelled', prompt_tokens: 900 });
  expect(bench.provider.requests).toHaveLength(2);
});

async function waitUntil(isTrue: () => boolean): Promise<void> {
  await eventually(() => Promise.resolve(isTrue() ? true : undefined));
}
