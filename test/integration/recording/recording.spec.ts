import {
  requestEventBatch,
  requestEventBatchOptions,
  renderShippedEvent,
  type RequestEventV1,
} from '@gateway/contracts';
import {
  createAcceptedEvent,
  createEndedEvent,
  createPlanEvent,
  startOtlpReceiver,
  startStack,
} from '@gateway/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { openDeadLetters, type DeadLetterBox } from '../../../tools/dead-letters/dead-letters.ts';
import { eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';
import { listAll, newAccountId, readDetail, startRecorder, type Recorder } from './recorder.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let recorder: Recorder;
let redis: Redis;
let queue: Queue;
let dead: DeadLetterBox;
let otlp: Awaited<ReturnType<typeof startOtlpReceiver>>;

beforeAll(async () => {
  otlp = await startOtlpReceiver();
  undo.push(() => otlp.close());
  stack = await startStack({ apps: ['worker'], env: { worker: { OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url } } });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  redis = new Redis(stack.dev.redis_url, { maxRetriesPerRequest: null });
  queue = new Queue(requestEventBatch.queue, { connection: redis });
  dead = openDeadLetters(stack.dev.redis_url);
  undo.push(
    () => redis.disconnect(),
    () => queue.close(),
    () => dead.close(),
  );
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

let batches = 0;

/** Adds a batch of events to the queue directly, without a spool. Waits until the worker has processed the batch. */
async function queueBatch(events: readonly unknown[], id = `test-${(batches += 1)}`): Promise<void> {
  const data = { batchId: id, events, traceparents: events.map(() => null) };
  await queue.add(requestEventBatch.name, data, { ...requestEventBatchOptions, jobId: id });
  await eventually(async () => ((await queue.getJob(id)) === undefined ? true : null));
}

const shipped = (accountId: string, change: Partial<RequestEventV1> = {}) =>
  renderShippedEvent(createEndedEvent(createAcceptedEvent({ accountId }), change));

describe('the request log', () => {
  it('the request log contains every field of each recorded request, and the request leaves the spool', async () => {
    const accountId = newAccountId();
    const ended = await recorder.record(accountId, {
      sessionId: 'session-1',
      clientRequestId: 'mine',
      lane: 'edited',
      toolsIn: 117,
      toolsOut: 12,
      plan: createPlanEvent(117, 12),
      calledTools: ['tool_3', 'tool_40'],
      compressionSteps: [{ step: 'schema', tokensBefore: 900, tokensAfter: 700 }],
    });
    await recorder.untilCommitted();
    const { total, requests } = await listAll(recorder.messaging, accountId);
    expect(total).toBe(1);
    expect(requests[0]).toMatchObject({
      id: ended.requestId,
      status: 'ok',
      session_id: 'session-1',
      client_request_id: 'mine',
      tools_in: 117,
      tools_out: 12,
      routing: 'keyword',
      k: 12,
      k_reason: 'prior',
      prompt_tokens: 120,
      completion_tokens: 30,
      total_tokens: 150,
      cached_tokens: 100,
      estimated_tokens_saved: 10_500,
      compression_tokens_saved: 200,
      cost_usd: 0.000123,
      ms: { total: 321.5, first_byte: 200.25, overhead: 1.5, auth: 0.25, plan: null, upstream: 320 },
    });
    const detail = await readDetail(recorder.messaging, accountId, ended.requestId);
    expect(detail).toMatchObject(requests[0]!);
    expect(detail).toMatchObject({
      called_tools: ['tool_3', 'tool_40'],
      missed_tools: ['tool_40'],
      lane: 'edited',
    });
    expect(detail?.forwarded_tools).toHaveLength(12);
    expect(detail?.trace.candidates[3]).toEqual({
      ...{
        name: 'tool_3',
        score: 0.1667,
        rank: 4,
        forwarded: true,
        planned: true,
        called: true,
        always_in: null,
        learning: null,
      },
    });
    expect(detail?.compression_steps).toEqual([{ step: 'schema', tokens_before: 900, tokens_after: 700 }]);
  });

  it('the request log lists the newest requests first, page by page, and never shows another account’s requests', async () => {
    const [mine, other] = [newAccountId(), newAccountId()];
    const ids = [];
    for (let at = 0; at < 25; at += 1) ids.push((await recorder.record(mine)).requestId);
    const foreign = await recorder.record(other);
    await recorder.untilCommitted();
    expect((await listAll(recorder.messaging, mine)).requests.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await readDetail(recorder.messaging, mine, foreign.requestId)).toBeNull();
    expect(await readDetail(recorder.messaging, mine, newAccountId())).toBeNull();
    expect(await readDetail(recorder.messaging, other, foreign.requestId)).not.toBeNull();
  });

  it('the request log ignores duplicates and replays', async () => {
    const accountId = newAccountId();
    const [first, second] = [shipped(accountId), shipped(accountId)];
    await queueBatch([first, second, first]);
    const before = await listAll(recorder.messaging, accountId);
    await queueBatch([second, { ...first, status: 'error', httpStatus: 500 }]);
    await queueBatch([first]);
    expect(await listAll(recorder.messaging, accountId)).toEqual(before);
    expect(before.total).toBe(2);
  });

  it('any other outcome replaces an interrupted outcome, and an interrupted outcome replaces no other outcome', async () => {
    const accountId = newAccountId();
    const events = [shipped(accountId), shipped(accountId), shipped(accountId), shipped(accountId)] as const;
    const interrupted = (event: object) => ({ ...event, status: 'interrupted', httpStatus: null });
    const [endedFirst, interruptedFirst, sameBatch, onlyInterrupted] = events;
    await queueBatch([endedFirst, interrupted(interruptedFirst), interrupted(sameBatch), sameBatch]);
    await queueBatch([
      interrupted(endedFirst),
      interruptedFirst,
      interrupted(sameBatch),
      interrupted(onlyInterrupted),
    ]);
    const { requests } = await listAll(recorder.messaging, accountId);
    const statusOf = (id: string) => requests.find((request) => request.id === id)?.status;
    expect(events.map(({ requestId }) => statusOf(requestId))).toEqual(['ok', 'ok', 'ok', 'interrupted']);
    expect(requests.find(({ id }) => id === interruptedFirst.requestId)?.http_status).toBe(200);
  });

  it('the worker creates the partition that an old event needs', async () => {
    const accountId = newAccountId();
    const twoMonthsAgo = Date.now() - 62 * 86_400_000;
    const hex = twoMonthsAgo.toString(16).padStart(12, '0');
    const requestId = `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8def-0123456789ab`;
    await queueBatch([shipped(accountId, { requestId })]);
    const detail = await readDetail(recorder.messaging, accountId, requestId);
    expect(detail?.created_at).toBe(new Date(twoMonthsAgo).toISOString());
  });

  it("every request's own trace gets a worker span", async () => {
    const accountId = newAccountId();
    const traces = ['0af7651916cd43dd8448eb211c803190', '0af7651916cd43dd8448eb211c803191'];
    const events = [];
    for (const trace of traces) {
      events.push(await recorder.record(accountId, { traceId: trace }, `00-${trace}-b7ad6b7169203331-01`));
    }
    await recorder.untilCommitted();
    for (const [at, trace] of traces.entries()) {
      const span = await eventually(() =>
        otlp.spans().find(({ traceId, name }) => traceId === trace && name === 'write request-log'),
      );
      expect(span).toMatchObject({ parentSpanId: 'b7ad6b7169203331' });
      expect(span.attributes['svc.request_id']).toBe(events[at]?.requestId);
    }
  }, 60_000);
});

describe('an invalid event', () => {
  it('an invalid event is stored as a dead letter with the reason, and the other events of the batch are written', async () => {
    const accountId = newAccountId();
    const good = [shipped(accountId), shipped(accountId), shipped(accountId)] as const;
    const poison = [
      'not an event',
      { ...shipped(accountId), status: 'nonsense' },
      { ...shipped(accountId), requestId: '4b2b0b46-1c1f-4f6e-9a3c-0d8f1f6f2a11' },
      { ...shipped(accountId), requestId: 'ffffffff-ffff-7fff-8fff-ffffffffffff' },
      { ...shipped(accountId), httpStatus: 2 ** 40 },
    ];
    const before = await dead.count();
    await queueBatch([good[0], poison[0], poison[1], good[1], poison[2], poison[3], poison[4], good[2]]);
    const { requests } = await listAll(recorder.messaging, accountId);
    expect(requests.map(({ id }) => id).toSorted()).toEqual(
      good.map(({ requestId }) => requestId).toSorted(),
    );
    const letters = (await dead.list(1000)).slice(before);
    expect(letters.map(({ data }) => data.event)).toEqual(expect.arrayContaining(poison));
    expect(letters).toHaveLength(poison.length);
    for (const { data } of letters) expect(data.reason.length).toBeGreaterThan(5);
  });

  it('a completely malformed job does not stop the queue', async () => {
    const before = await dead.count();
    await queue.add('whatever', { nothing: 'known' }, { ...requestEventBatchOptions, jobId: 'odd' });
    await queue.add(requestEventBatch.name, {}, { ...requestEventBatchOptions, jobId: 'torn', delay: 3_000 });
    await redis.hset('bull:request-events:torn', 'data', '{"batchId": "torn", "events": [');
    await eventually(async () => ((await dead.count()) === before + 2 ? true : null));
    const accountId = newAccountId();
    await queueBatch([shipped(accountId)]);
    expect((await listAll(recorder.messaging, accountId)).total).toBe(1);
  }, 60_000);

  it('no text makes an event invalid: NUL and lone surrogates become the replacement character', async () => {
    const accountId = newAccountId();
    const event = shipped(accountId, { sessionId: 'a\0b\ud800c', calledTools: ['x\0', '\\u0000'] });
    await queueBatch([event]);
    const detail = await readDetail(recorder.messaging, accountId, event.requestId);
    expect(detail).toMatchObject({ session_id: 'a\ufffdb\ufffdc', called_tools: ['x\ufffd', '\\u0000'] });
  });

  it('the worker writes the event of a dead letter as soon as the worker can, and does not change other dead letters', async () => {
    const before = await dead.count();
    expect(await dead.retry()).toBe(before);
    await eventually(async () => ((await dead.count()) === before ? true : null));
    await eventually(async () =>
      (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0 ? true : null,
    );
    expect(await dead.count()).toBe(before);
    const accountId = newAccountId();
    const [letter] = await dead.list(1);
    // Simulates an upgrade to a worker version that can parse the event.
    await redis.hset(
      `bull:request-events-dead:${letter!.id}`,
      'data',
      JSON.stringify({ ...letter!.data, event: shipped(accountId) }),
    );
    expect(await dead.retry([letter!.id])).toBe(1);
    await eventually(async () => ((await listAll(recorder.messaging, accountId)).total === 1 ? true : null));
    expect(await dead.count()).toBe(before - 1);
  });
});
