// `npm run bench:worker -- [--events 60000] [--rows 5000000]` measures how fast the worker reads and writes.
// The script prints its measurements and one line of JSON, and exits with 1 if a limit is exceeded.
// Run this benchmark on an idle machine.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startStack } from '@gateway/testing';
// The library's index contains decorators, which Node does not strip, so the module is imported by its path.
import { connectMessaging } from '../../../libs/messaging/src/nats-messaging.ts';
import { serviceRow } from '../../../tools/bootstrap/stack/service-table.ts';
import { measureQueries } from './queries.ts';
import { measureWriting } from './writing.ts';

const bounds = { eventsPerSecond: 3_000, recordingMicros: 30, usageMs: 100, listMs: 50 } as const;
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '60000' },
    rows: { type: 'string', default: '5000000' },
  },
});
const [events, rows] = [Number(values.events), Number(values.rows)];

const stack = await startStack({ apps: ['worker'] });
try {
  const recording = measureRecording(stack.dev.redis_url);
  console.log('Recording, the edge’s part:', recording);
  const instanceId = `bench-${process.pid}`;
  const credentials = stack.natsCredentials('edge-gateway');
  const messaging = await connectMessaging({ ...credentials, name: instanceId, instanceId });
  const options = { messaging, redisUrl: stack.dev.redis_url, databaseUrl: stack.dev.postgres.telemetry };
  const pids = ['worker', 'postgres', 'redis'].map((name) => [name, stack.service(name).pid] as const);
  const processes = Object.fromEntries(pids);
  const writing = await measureWriting({ ...options, events, processes });
  console.log('Writing:', writing);
  const queries = await measureQueries({ ...options, rows });
  console.log('Reading:');
  console.table(queries);
  await messaging.close();
  const broken = [
    ...(writing.events_per_second < bounds.eventsPerSecond ? ['events per second'] : []),
    ...(recording.cpu_us_per_request > bounds.recordingMicros ? ['recording'] : []),
    ...queries
      .filter(({ query, p95_ms }) => p95_ms > (query.startsWith('list') ? bounds.listMs : bounds.usageMs))
      .map(({ query }) => query),
  ];
  for (const what of broken) console.log(`Out of bounds: ${what}`);
  console.log(JSON.stringify({ recording, writing, queries, bounds, broken }));
  process.exitCode = broken.length === 0 ? 0 : 1;
} finally {
  await stack.stop();
}

/** Measures the CPU time of the gateway process for recording a request with a hundred candidate tools. */
function measureRecording(redisUrl: string): { cpu_us_per_request: number } {
  const script = join(import.meta.dirname, '../recording/measure-recording.ts');
  // The worker does not read Redis database 5, so nothing is written to Postgres.
  const apart = new URL(redisUrl);
  apart.pathname = '/5';
  // Runs the script with the Node flags of the gateway process.
  const { nodeOptions } = serviceRow('edge-gateway');
  const output = execFileSync(process.execPath, [...nodeOptions, script, '60000', '32', '100'], {
    env: { ...process.env, REDIS_URL: apart.href },
    encoding: 'utf8',
  });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { cpu_us_per_request: number };
}
