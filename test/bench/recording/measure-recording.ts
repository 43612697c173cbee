// Measures the cost of recording a request in the gateway, until its events are committed.
// The reported cost is the CPU time of the gateway process in microseconds per request.
// Usage: `REDIS_URL=URL node test/bench/recording/measure-recording.ts [requests] [concurrency] [candidates]`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batchesCommitted } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, createPlanEvent } from '@gateway/testing';
import { openBullmqEventQueue } from '../../../apps/edge-gateway/src/spool/bullmq-event-queue.adapter.ts';
import { RequestSpool } from '../../../apps/edge-gateway/src/spool/request-spool.ts';
import { SpoolShipper } from '../../../apps/edge-gateway/src/spool/spool-shipper.ts';

const [requests = 50_000, concurrency = 32, candidates = 0] = process.argv.slice(2).map(Number);
const log = { info: () => undefined, warn: console.warn, error: console.error };
const dir = mkdtempSync(join(tmpdir(), 'recording-'));
const spool = await RequestSpool.open({ dir, bytesMax: 1 << 30, instanceId: 'bench', log });
const queue = openBullmqEventQueue(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', log);
await new Promise<void>((resolve) => queue.onReady(resolve));

let report: (message: { batchIds: string[] }) => void = () => undefined;
const shipper = new SpoolShipper({
  spool,
  // When Redis has stored a batch of events, the benchmark treats the batch as written to Postgres.
  // The worker benchmark measures the cost of writing the events to Postgres.
  queue: {
    ...queue,
    add: async (id, data) => {
      await queue.add(id, data);
      setImmediate(() => report({ batchIds: [id] }));
    },
  },
  messaging: {
    onBroadcast: (contract, listener) => {
      if (contract.subject === batchesCommitted.subject) report = listener as typeof report;
    },
    onReconnect: () => undefined,
  },
  log,
});
shipper.start();

const accepted = createAcceptedEvent();
const plan = candidates === 0 ? null : createPlanEvent(candidates, 10);
const ended = createEndedEvent(accepted, { plan, toolsIn: candidates, toolsOut: Math.min(10, candidates) });
const ids = Array.from({ length: requests }, () => createAcceptedEvent().requestId);
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function record(count: number): Promise<void> {
  let next = ids.length - count;
  const lane = async () => {
    for (let requestId = ids[next++]; requestId !== undefined; requestId = ids[next++]) {
      await spool.accept({ ...accepted, requestId });
      // A provider response takes at least one turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      spool.finish({ ...ended, requestId }, traceparent);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  await spool.flush();
}

await record(Math.min(5000, requests));
const [cpu, wall] = [process.cpuUsage(), performance.now()];
await record(requests);
while (spool.segments().some((segment) => segment.shippedBytes < segment.bytes)) await shipper.ship();
const { user, system } = process.cpuUsage(cpu);
const wallMs = performance.now() - wall;
console.log(
  JSON.stringify({
    requests,
    concurrency,
    candidates,
    cpu_us_per_request: Number(((user + system) / requests).toFixed(2)),
    user_us: Number((user / requests).toFixed(2)),
    requests_per_second: Math.round((requests / wallMs) * 1000),
  }),
);
await shipper.close();
await queue.close();
await spool.close();
rmSync(dir, { recursive: true });
