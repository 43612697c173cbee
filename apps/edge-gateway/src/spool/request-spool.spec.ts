import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestEventBatch, type RequestAcceptedV1, type ShippedRequestEventV1 } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent } from '@gateway/testing';
import { BatchCutter } from './batch-cutter.ts';
import { RequestSpool } from './request-spool.ts';
import type { RequestSpoolOptions } from './spool-directory.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
let dir: string;
let opened: RequestSpool[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'spool-'));
  opened = [];
});
afterEach(async () => {
  for (const spool of opened) await spool.close();
  rmSync(dir, { recursive: true });
});

async function open(options: Partial<RequestSpoolOptions> = {}): Promise<RequestSpool> {
  const spool = await RequestSpool.open({
    dir,
    bytesMax: 1 << 24,
    instanceId: 'edge',
    log: quiet,
    ...options,
  });
  opened.push(spool);
  return spool;
}

/** Returns all events that would be shipped, parsed as the worker would parse the events. */
async function endings(spool: RequestSpool): Promise<ShippedRequestEventV1[]> {
  const events: ShippedRequestEventV1[] = [];
  const cutter = new BatchCutter();
  for (const segment of spool.segments()) {
    for (let at = 0; at < segment.bytes;) {
      const batch = await cutter.cut(segment, at);
      if (batch.data !== null)
        events.push(...requestEventBatch.data.parse(JSON.parse(batch.data.toString())).events);
      at = batch.end;
    }
  }
  return events;
}

function commitEverything(spool: RequestSpool): void {
  for (const segment of spool.segments()) segment.shippedBytes = segment.bytes;
}

function segmentFiles(): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
}

/** Creates a spool directory as a dead process would leave it. */
function leaveBehind(lines: string): void {
  mkdirSync(join(dir, 'dead'));
  writeFileSync(join(dir, 'dead', '00000000-0000-7000-8000-000000000000.jsonl'), lines);
}

const acceptLine = (event: { requestId: string }) =>
  `["accept","${event.requestId}",${JSON.stringify(event)}]\n`;
const endLine = (event: { requestId: string }) =>
  `["end","${event.requestId}",null,${JSON.stringify(event)}]\n`;

describe('the request spool', () => {
  it('has written the accept line to disk when `accept` resolves', async () => {
    const spool = await open();
    const event = createAcceptedEvent({ sessionId: 'sitzung-ä-😀' });
    await spool.accept(event);
    expect(readFileSync(join(dir, segmentFiles()[0]!), 'utf8')).toBe(acceptLine(event));
  });

  it('writes the lines of one tick together, and ships each end line once with its trace', async () => {
    const spool = await open({ segmentBytesMax: 8 << 20 });
    const accepted = Array.from({ length: 700 }, () => createAcceptedEvent());
    await Promise.all(accepted.map((event) => spool.accept(event)));
    const ended = accepted.map((event) =>
      createEndedEvent(event, { errorMessage: 'grüß 😀 "quoted"\nline' }),
    );
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    for (const event of ended) spool.finish(event, traceparent);
    spool.finish(ended[0]!, null);
    await spool.flush();
    expect(await endings(spool)).toEqual(ended);
    expect(spool.openRequests).toBe(0);
    const cutter = new BatchCutter();
    const batch = await cutter.cut(spool.segments()[0]!, 0);
    const data = requestEventBatch.data.parse(JSON.parse(batch.data!.toString()));
    expect(data.events).toHaveLength(500);
    expect(new Set(data.traceparents)).toEqual(new Set([traceparent]));
    // The test uses a separate cutter, because a batch becomes invalid when the next batch is cut.
    expect(await new BatchCutter().cut(spool.segments()[0]!, batch.start, batch.end)).toEqual(batch);
  });

  it('waits for the events of ended requests before it closes', async () => {
    const spool = await open();
    const event = createAcceptedEvent();
    await spool.accept(event);
    const ended = createEndedEvent(event, { toolTokensSaved: 7 });
    spool.finish(new Promise((resolve) => setImmediate(resolve, ended)), null);
    await spool.drain();
    expect(await endings(spool)).toEqual([ended]);
  });

  it('rejects requests while the spool is full, and accepts requests again once space is released', async () => {
    const spool = await open({ bytesMax: 40_000, segmentBytesMax: 2000 });
    const accepted: RequestAcceptedV1[] = [];
    const acceptUntilRefused = async () => {
      while (accepted.length < 1000) {
        const event = createAcceptedEvent();
        await spool.accept(event);
        accepted.push(event);
      }
    };
    await expect(acceptUntilRefused()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(accepted.length).toBeGreaterThan(5);
    for (const event of accepted) spool.finish(createEndedEvent(event), null);
    await spool.flush();
    expect(await endings(spool)).toHaveLength(accepted.length);
    commitEverything(spool);
    await spool.tidy();
    await spool.accept(createAcceptedEvent());
  });

  it('reserves room for the events of other accounts while one account fills its share of the spool', async () => {
    const spool = await open({ bytesMax: 200_000, segmentBytesMax: 2000 });
    const { accountId } = createAcceptedEvent();
    const noisy: RequestAcceptedV1[] = [];
    const acceptNoisy = async () => {
      for (;;) {
        const event = createAcceptedEvent({ accountId });
        await spool.accept(event);
        noisy.push(event);
      }
    };
    await expect(acceptNoisy()).rejects.toMatchObject({
      code: 'service_unavailable',
      detail: 'the account has used its share of the spool',
    });
    expect(spool.usedBytes).toBeLessThan(0.85 * 200_000);
    const quietEvents = [createAcceptedEvent(), createAcceptedEvent(), createAcceptedEvent()];
    for (const event of quietEvents) await spool.accept(event);
    for (const event of [...noisy, ...quietEvents]) spool.finish(createEndedEvent(event), null);
    await spool.flush();
    expect(await endings(spool)).toHaveLength(noisy.length + quietEvents.length);
    commitEverything(spool);
    await spool.tidy();
    await spool.accept(createAcceptedEvent({ accountId }));
  });

  it('never deletes a segment with an uncommitted end line', async () => {
    const spool = await open({ segmentBytesMax: 1000 });
    const event = createAcceptedEvent();
    await spool.accept(event);
    spool.finish(createEndedEvent(event), null);
    await spool.accept(createAcceptedEvent());
    const [first] = spool.segments();
    first!.shippedBytes = first!.bytes;
    first!.uncommittedBatches = 1;
    await spool.tidy();
    expect(spool.segments()).toContain(first);
    for (const segment of spool.segments()) segment.shippedBytes = segment.bytes;
    first!.uncommittedBatches = 0;
    await spool.tidy();
    expect(spool.segments()).not.toContain(first);
  });

  it('copies the accept line of a long request to a newer segment, and recovers the line after a crash', async () => {
    let nowMs = 1_000_000;
    const spool = await open({ segmentBytesMax: 3000, now: () => nowMs });
    const long = createAcceptedEvent();
    await spool.accept(long);
    for (let at = 0; at < 20; at += 1) {
      const event = createAcceptedEvent();
      await spool.accept(event);
      spool.finish(createEndedEvent(event), null);
    }
    await spool.flush();
    expect(segmentFiles().length).toBeGreaterThan(5);
    commitEverything(spool);
    nowMs += 11_000;
    await spool.tidy();
    await spool.flush();
    commitEverything(spool);
    await spool.tidy();
    expect(segmentFiles().length).toBeLessThanOrEqual(2);
    await spool.close();
    const next = await open();
    const interrupted = (await endings(next)).filter(({ status }) => status === 'interrupted');
    expect(interrupted).toMatchObject([{ requestId: long.requestId }]);
  });

  it('rejects new requests while the disk fails, and loses no end line', async () => {
    const spool = await open();
    const event = createAcceptedEvent();
    await spool.accept(event);
    const own = join(dir, readdirSync(dir)[0]!);
    // To simulate a failing disk, the test marks the segment as full and removes the directory of the next segment.
    const [segment] = spool.segments();
    segment!.bytes = Number.MAX_SAFE_INTEGER / 2;
    rmSync(own, { recursive: true });
    await expect(spool.accept(createAcceptedEvent())).rejects.toMatchObject({ code: 'service_unavailable' });
    spool.finish(createEndedEvent(event), null);
    await new Promise((resolve) => setTimeout(resolve, 50));
    mkdirSync(own);
    await spool.flush();
    spool.segments()[0]!.bytes = 0;
    expect(await endings(spool)).toMatchObject([{ requestId: event.requestId, status: 'ok' }]);
  });
});

describe('the spool directory of a dead process', () => {
  it('is adopted: its end lines are shipped, and requests without an end line become interrupted', async () => {
    const [ended, open1, open2] = [createAcceptedEvent(), createAcceptedEvent(), createAcceptedEvent()];
    leaveBehind(acceptLine(ended) + acceptLine(open1) + acceptLine(open2) + endLine(createEndedEvent(ended)));
    const spool = await open();
    const events = await endings(spool);
    expect(events.map(({ requestId, status }) => [requestId, status])).toEqual([
      [ended.requestId, 'ok'],
      [open1.requestId, 'interrupted'],
      [open2.requestId, 'interrupted'],
    ]);
  });

  it('tolerates incomplete and damaged lines', async () => {
    const [whole, torn] = [createAcceptedEvent(), createAcceptedEvent()];
    const tornEnd = endLine(createEndedEvent(torn)).slice(0, 80);
    leaveBehind(
      acceptLine(whole) +
        '\u0000\u0000{]\n["end","x"]\n' +
        acceptLine(torn) +
        endLine(createEndedEvent(whole)) +
        tornEnd,
    );
    const events = await endings(await open());
    expect(events.map(({ requestId, status }) => [requestId, status])).toEqual([
      [whole.requestId, 'ok'],
      [torn.requestId, 'interrupted'],
    ]);
  });

  it('is removed when its events are committed, and its interrupted end lines are written only once', async () => {
    leaveBehind(acceptLine(createAcceptedEvent()));
    const first = await open();
    expect(await endings(first)).toHaveLength(1);
    await first.close();
    const second = await open();
    expect(await endings(second)).toHaveLength(1);
    commitEverything(second);
    await second.tidy();
    expect(segmentFiles()).toEqual([]);
    expect(readdirSync(dir)).not.toContain('dead');
  });

  it('is not touched while the process that owns the directory is running', async () => {
    const live = await open({ instanceId: 'a' });
    await live.accept(createAcceptedEvent());
    const other = await open({ instanceId: 'b' });
    expect(await endings(other)).toEqual([]);
    expect(await other.adoptOrphans()).toBe(0);
  });

  it('contains every confirmed request after kill -9', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { accepted, finished } = await killedProcess(150 * round);
      const spool = await open();
      const events = await endings(spool);
      const statusById = new Map(events.map((event) => [event.requestId, event.status]));
      expect(statusById.size).toBe(events.length);
      for (const id of accepted) expect(statusById.has(id)).toBe(true);
      // Killing the process may cut off the last printed line, so the test requires only a minimum number of requests.
      expect(accepted.size).toBeGreaterThan(50);
      for (const id of finished) expect(statusById.get(id)).toBe('ok');
      commitEverything(spool);
      await spool.close();
    }
  }, 60_000);
});

/** Runs and kills spool.child.ts. Returns the requests that the child process reported as stored. */
async function killedProcess(afterMs: number): Promise<{ accepted: Set<string>; finished: Set<string> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'spool.child.ts'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
  while (told.split('\n').length < 100) await once(child.stdout, 'data');
  setTimeout(() => child.kill('SIGKILL'), afterMs);
  await once(child, 'close');
  const lines = told.slice(0, told.lastIndexOf('\n') + 1).split('\n');
  const idsOf = (tag: string) =>
    new Set(lines.filter((line) => line.startsWith(tag)).map((line) => line.slice(2)));
  return { accepted: idsOf('A'), finished: idsOf('F') };
}
