import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batchesCommitted, requestEventBatch } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent } from '@gateway/testing';
import type { EventQueue } from './shipped-batches.ts';
import { RequestSpool } from './request-spool.ts';
import { SpoolShipper, type CommitReports } from './spool-shipper.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A replacement for BullMQ in these tests. The tests in test/integration/recording use the real queue. */
class MemoryQueue implements EventQueue {
  readonly added: { readonly id: string; readonly data: Buffer }[] = [];
  isAway = false;
  ready: () => void = () => undefined;

  add(id: string, data: Buffer): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.added.push({ id, data: Buffer.from(data) });
    return Promise.resolve();
  }

  onReady(listener: () => void): void {
    this.ready = listener;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

let dir: string;
let nowMs: number;
let queue: MemoryQueue;
let spool: RequestSpool;
let commit: (batchIds: string[]) => void;
let reconnect: () => void;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'spool-'));
  nowMs = 1_000_000;
  queue = new MemoryQueue();
  spool = await RequestSpool.open({
    ...{ dir, bytesMax: 1 << 24, instanceId: 'edge', log: quiet },
    now: () => nowMs,
    segmentBytesMax: 4000,
  });
});
afterEach(async () => {
  await spool.close();
  rmSync(dir, { recursive: true });
});

function createShipper(inFlightBytesMax = 1 << 20): SpoolShipper {
  const messaging: CommitReports = {
    onBroadcast: (contract, listener) => {
      expect(contract.subject).toBe(batchesCommitted.subject);
      const hear = listener as (message: { batchIds: string[] }) => void;
      commit = (batchIds) => hear({ batchIds });
    },
    onReconnect: (listener) => (reconnect = listener),
  };
  return new SpoolShipper({ spool, queue, messaging, log: quiet, now: () => nowMs, inFlightBytesMax });
}

async function record(count: number): Promise<string[]> {
  const ids = [];
  for (let at = 0; at < count; at += 1) {
    const accepted = createAcceptedEvent();
    await spool.accept(accepted);
    spool.finish(createEndedEvent(accepted), null);
    ids.push(accepted.requestId);
  }
  await spool.flush();
  return ids;
}

const idsIn = (batches: readonly { data: Buffer }[]) =>
  batches.flatMap(({ data }) =>
    requestEventBatch.data.parse(JSON.parse(data.toString())).events.map(({ requestId }) => requestId),
  );
const segmentFiles = () =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));

describe('the spool shipper', () => {
  it('ships each end line once, and keeps segments until they are reported as committed', async () => {
    const shipper = createShipper();
    const ids = await record(20);
    await shipper.ship();
    await shipper.ship();
    expect(idsIn(queue.added)).toEqual(ids);
    const files = segmentFiles();
    expect(files.length).toBeGreaterThan(3);
    commit(['somebody-elses', ...queue.added.slice(0, 2).map(({ id }) => id)]);
    await shipper.ship();
    expect(segmentFiles()).toEqual(files.slice(2));
    commit(queue.added.map(({ id }) => id));
    nowMs += 60_000;
    await shipper.ship();
    await shipper.ship();
    expect(segmentFiles()).toEqual([]);
  });

  it('ships an identical batch again with the same id if the worker does not report the batch as committed', async () => {
    const shipper = createShipper();
    await record(5);
    await shipper.ship();
    const [first] = queue.added;
    nowMs += 29_000;
    await shipper.ship();
    expect(queue.added).not.toContainEqual({ ...first, again: true });
    const before = queue.added.length;
    nowMs += 2_000;
    await shipper.ship();
    expect(queue.added.slice(before)).toEqual(queue.added.slice(0, before));
  });

  it.each(['Redis', 'NATS'])('ships all batches in flight again when %s is back', async (which) => {
    const shipper = createShipper();
    await record(5);
    await shipper.ship();
    const before = [...queue.added];
    (which === 'Redis' ? queue.ready : reconnect)();
    await shipper.ship();
    expect(queue.added).toEqual([...before, ...before]);
  });

  it('keeps events on disk while the queue is unavailable, and loses no event', async () => {
    const shipper = createShipper();
    queue.isAway = true;
    const ids = await record(10);
    await shipper.ship();
    expect(shipper.batchesInFlight).toBe(0);
    queue.isAway = false;
    await shipper.ship();
    expect(idsIn(queue.added)).toEqual(ids);
  });

  it('keeps uncommitted batches in the queue within the limit on their bytes', async () => {
    const shipper = createShipper(6000);
    const ids = await record(30);
    await shipper.ship();
    expect(queue.added.length).toBeLessThan(4);
    for (let round = 0; round < 30; round += 1) {
      commit(queue.added.map(({ id }) => id));
      await shipper.ship();
    }
    expect(idsIn(queue.added)).toEqual(ids);
  });
});
