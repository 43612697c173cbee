import {
  batchesCommitted,
  renderShippedEvent,
  requestEventBatch,
  requestEventBatchOptions,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { createAcceptedEvent, createEndedEvent, createPlanEvent } from '@gateway/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { readCpuMicros } from './cpu.ts';
import { copyIn, copyOut } from './copy.ts';

const batchEvents = 250;
const candidates = 100;
const accounts = 20;

interface WritingOptions {
  readonly messaging: Messaging;
  readonly redisUrl: string;
  readonly databaseUrl: string;
  readonly events: number;
  /** The ids of the measured processes, by process name. */
  readonly processes: Readonly<Record<string, number | null>>;
}

/**
 * Writes events with a hundred candidate tools each. All events are in the queue before the worker writes the
 * first event. The worker is never idle, so the total time equals the lag of the last event. For comparison,
 * COPY writes the same rows to a table without indexes and triggers.
 */
export async function measureWriting(options: WritingOptions) {
  const { messaging, redisUrl, databaseUrl, events, processes } = options;
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(requestEventBatch.queue, { connection: redis });
  await queue.pause();
  const waiting = new Set<string>();
  const lagsMs: number[] = [];
  const { promise: done, resolve } = Promise.withResolvers<null>();
  let startedAt = 0;
  messaging.onBroadcast(batchesCommitted, ({ batchIds }) => {
    for (const id of batchIds) if (waiting.delete(id)) lagsMs.push(performance.now() - startedAt);
    if (waiting.size === 0) resolve(null);
  });
  for (let at = 0; at < events; at += batchEvents) waiting.add(await enqueue(queue));
  const cpuBefore = readCpu(processes);
  startedAt = performance.now();
  await queue.resume();
  await done;
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuAfter = readCpu(processes);
  await queue.close();
  redis.disconnect();
  const written = lagsMs.length * batchEvents;
  const copy = await measureCopy(databaseUrl);
  lagsMs.sort((one, other) => one - other);
  return {
    events: written,
    candidates,
    events_per_second: Math.round(written / seconds),
    cpu_us_per_event: Object.fromEntries(
      Object.keys(processes).map((name) => [
        name,
        Math.round(((cpuAfter[name] ?? 0) - (cpuBefore[name] ?? 0)) / written),
      ]),
    ),
    queue_lag_p50_ms: Math.round(lagsMs[lagsMs.length >> 1] ?? 0),
    queue_lag_max_ms: Math.round(lagsMs.at(-1) ?? 0),
    copy_rows_per_second: Math.round(copy.rows / copy.seconds),
  };
}

const readCpu = (processes: WritingOptions['processes']): Record<string, number> =>
  Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, readCpuMicros(pid)]));

const accountIds = Array.from({ length: accounts }, () => uuidv7());
const plan = createPlanEvent(candidates, 10);

async function enqueue(queue: Queue): Promise<string> {
  const batchId = uuidv7();
  const rendered = Array.from({ length: batchEvents }, (_, at) => {
    const accepted = createAcceptedEvent({ accountId: accountIds[at % accounts] ?? '' });
    const change = { plan, toolsIn: candidates, toolsOut: 10, calledTools: ['tool_3'] };
    return renderShippedEvent(createEndedEvent(accepted, change));
  });
  const traceparents = rendered.map(() => null);
  const data = { batchId, events: rendered, traceparents };
  await queue.add(requestEventBatch.name, data, { ...requestEventBatchOptions, jobId: batchId });
  return batchId;
}

async function measureCopy(databaseUrl: string): Promise<{ rows: number; seconds: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const bytes = await copyOut(client, 'COPY (SELECT * FROM request_log) TO STDOUT (FORMAT binary)');
    await client.query('CREATE TABLE bench_copy (LIKE request_log)');
    const startedAt = performance.now();
    await copyIn(client, 'COPY bench_copy FROM STDIN (FORMAT binary)', bytes);
    const seconds = (performance.now() - startedAt) / 1000;
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int FROM bench_copy');
    await client.query('DROP TABLE bench_copy');
    return { rows: rows[0]?.count ?? 0, seconds };
  } finally {
    await client.end();
  }
}
