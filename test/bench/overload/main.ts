// `npm run bench:overload` measures a gateway in front of a slow provider.
// Clients send three times as many concurrent requests as the gateway's limit allows.
// The benchmark measures goodput, the time until a rejection, and the effect on a quiet account.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { signUpPerson, startStack, type StackUnderTest } from '@gateway/testing';
import { callAccount } from '../gateway/bench-account.ts';
import { forgetPeak, readPeakMiB, readProcessorMs, readResidentMiB } from '../streams/memory.ts';
import { percentile, runClients, type Seen } from './clients.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 60);
const concurrency = Number(process.env['BENCH_CONCURRENCY'] ?? 64);
const answerMs = 500;
/** The client's pause in milliseconds after a rejection, which is much shorter than the response's `retry-after`. */
const comeBackMs = 100;

const child = spawn(process.execPath, [join(import.meta.dirname, 'slow-provider.mjs'), String(answerMs)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [printed] = (await once(child.stdout, 'data')) as [Buffer];
const providerUrl = `http://127.0.0.1:${printed.toString().trim()}`;
const stack = await startStack({
  env: {
    '*': { LOG_LEVEL: 'info' },
    'edge-gateway': {
      EGRESS_ALLOW: '127.0.0.0/8',
      REQUESTS_IN_FLIGHT_MAX: String(concurrency),
      REQUESTS_QUEUED_MAX: String(concurrency),
      // A single account causes the load and may use all request slots, so that the process is fully loaded.
      ACCOUNT_SHARE_MAX: '1',
    },
  },
});
try {
  const [noisy, quiet] = [await openAccount(stack), await openAccount(stack)];
  const run = (apiKey: string, clients: number, forSeconds: number): Promise<Seen> =>
    runClients({ url: stack.baseUrl, apiKey, clients, seconds: forSeconds, comeBackMs });
  const shortSeconds = Math.max(3, seconds / 4);
  // The first load run warms up the process's code and is not measured.
  await run(noisy, concurrency, shortSeconds);
  const calm = await run(quiet, 2, shortSeconds);
  const pid = stack.service('edge-gateway').pid ?? 0;
  const atPeak = readProcessorMs(pid);
  const peak = await run(noisy, concurrency, shortSeconds);
  const afterPeak = readProcessorMs(pid);
  const before = readResidentMiB(pid);
  forgetPeak(pid);
  const [crowd, beside] = await Promise.all([run(noisy, 3 * concurrency, seconds), run(quiet, 2, seconds)]);
  report({
    calm,
    peak,
    crowd,
    beside,
    memory: { before, most: readPeakMiB(pid) },
    processor: { peakMs: afterPeak - atPeak, crowdMs: readProcessorMs(pid) - afterPeak },
  });
} finally {
  await stack.stop();
  child.kill('SIGKILL');
}

async function openAccount(running: StackUnderTest): Promise<string> {
  const { accessToken } = await signUpPerson(running.baseUrl);
  const owner = { baseUrl: running.baseUrl, apiKey: accessToken };
  const connection = { provider: 'openai', api_key: 'sk-bench-key', base_url: `${providerUrl}/v1` };
  await callAccount(owner, 'PUT', '/v1/account/providers', connection);
  const key = { name: 'bench', rate_limit_rpm: 10_000_000 };
  return ((await callAccount(owner, 'POST', '/v1/account/keys', key)) as { key: string }).key;
}

interface Figures {
  readonly calm: Seen;
  readonly peak: Seen;
  readonly crowd: Seen;
  readonly beside: Seen;
  readonly processor: { readonly peakMs: number; readonly crowdMs: number };
  readonly memory: { readonly before: number; readonly most: number };
}

/** Prints a few readable lines, then one line of JSON. */
function report({ calm, peak, crowd, beside, memory, processor }: Figures): void {
  const perSecond = ({ servedMs, seconds: took }: Seen): number => servedMs.length / took;
  const p99 = (ms: readonly number[]): number => percentile(ms, 0.99);
  const servedMs = processor.peakMs / peak.servedMs.length;
  const servedBeside = crowd.servedMs.length + beside.servedMs.length;
  const figures = {
    concurrency,
    clients: 3 * concurrency,
    peak_per_second: perSecond(peak),
    goodput_per_second: perSecond(crowd) + perSecond(beside),
    goodput_share: (perSecond(crowd) + perSecond(beside)) / perSecond(peak),
    shed_per_second: crowd.shedMs.length / crowd.seconds,
    shed_p50_ms: percentile(crowd.shedMs, 0.5),
    shed_p99_ms: p99(crowd.shedMs),
    quiet_calm_p99_ms: p99(calm.servedMs),
    quiet_p99_ms: p99(beside.servedMs),
    quiet_p99_ratio: p99(beside.servedMs) / p99(calm.servedMs),
    quiet_shed: beside.shedMs.length,
    failed: peak.failed + crowd.failed + beside.failed,
    // Rejected and served requests run different code, so their CPU times are reported separately.
    processor_ms_per_served: servedMs,
    processor_ms_per_shed: (processor.crowdMs - servedMs * servedBeside) / crowd.shedMs.length,
    resident_mib: memory,
    targets: { goodput_share: 0.9, shed_p99_ms: 50, quiet_p99_ratio: 1.5, failed: 0, quiet_shed: 0 },
  };
  for (const [name, value] of Object.entries(figures)) {
    if (typeof value === 'number') console.log(`${name.padEnd(22)}${value.toFixed(2).padStart(12)}`);
  }
  console.log(`\n${JSON.stringify(figures)}`);
}
