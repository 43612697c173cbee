// `npm run bench:gateway` measures requests per second, latency, CPU time and memory.
// The benchmark compares this gateway, a bare proxy and Portkey's gateway in a single run on a single Linux machine.
import { startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessUse, readUseOf, type ProcessUse } from '../capacity/processor-time.ts';
import { planResponses, prepareAccount } from './bench-account.ts';
import { renderBodies, renderGrowing, type BodyKind } from './bodies.ts';
import { runLoad, type GrowingBody, type LoadTarget } from './load.ts';
import { Report, type Measured, type System } from './report.ts';
import { installBenchPrograms, startBareProxy, startPortkey, startProvider } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
/**
 * A new process counts as warm when the number of requests in a run exceeds the best earlier number by less
 * than 3%. The benchmark compares at least three runs, because other load may slow single runs.
 */
const plateau = { gain: 1.03, runsMin: 3, runsMax: 12, seconds: 5 };
const paths = { 'chat-completions': '/v1/chat/completions', responses: '/v1/responses' };
/** The loads to measure, given as names of `Case`. By default, the benchmark measures all loads. */
const loads = process.env['BENCH_LOADS']?.split(',');
const model = 'gpt-4o-mini';

/** Responses API requests are proxied, or planned if the account enabled `responses.plan`. */
type Case = BodyKind | 'growing_50k' | 'growing_100k' | 'responses_proxied' | `responses_${BodyKind}`;
const growingTokens: Partial<Record<Case, number>> = { growing_50k: 50_000, growing_100k: 100_000 };

installBenchPrograms();
const provider = await startProvider();
const bare = await startBareProxy(provider.url);
const portkey = await startPortkey();
const stack = await startStack({
  env: { '*': { LOG_LEVEL: 'info' }, 'edge-gateway': { EGRESS_ALLOW: '127.0.0.0/8' } },
});
const apiKey = await prepareAccount(stack, provider.url);
const redis = new Redis(stack.dev.redis_url);
const bodies = renderBodies();

const isResponses = (load: Case) => load.startsWith('responses_');

function requestOf(
  load: Case,
  named: string,
): { readonly path: string; readonly body: string | GrowingBody } {
  const tokens = growingTokens[load];
  if (tokens !== undefined) return { path: paths['chat-completions'], body: renderGrowing(tokens, named) };
  const format = isResponses(load) ? 'responses' : 'chat-completions';
  const kind = load.replace('responses_', '').replace('proxied', 'plain') as BodyKind;
  return { path: paths[format], body: bodies[format][kind](named) };
}

const targets: Record<System, (load: Case) => LoadTarget> = {
  bare: (load) => targetAt(bare.url, requestOf(load, model), {}),
  portkey: (load) =>
    targetAt(portkey.url, requestOf(load, model), {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${provider.url}/v1`,
      authorization: 'Bearer provider-key',
    }),
  ours: (load) =>
    targetAt(stack.baseUrl, requestOf(load, `openai/${model}`), { authorization: `Bearer ${apiKey}` }),
};

function targetAt(url: string, { path, body }: ReturnType<typeof requestOf>, headers: LoadTarget['headers']) {
  return { url: url + path, headers, body };
}

const measured: Measured[] = [];
try {
  for (const [load, connections, systems] of [
    ['plain', 32, ['portkey', 'ours']],
    ['plain', 1, ['portkey', 'ours']],
    ['tools', 1, ['ours']],
    ['conversation', 1, ['ours']],
    ['growing_50k', 1, ['ours']],
    ['growing_100k', 1, ['ours']],
    ['responses_proxied', 1, ['ours']],
    ['responses_plain', 1, ['ours']],
    ['responses_tools', 1, ['ours']],
    ['responses_conversation', 1, ['ours']],
  ] as const) {
    if (loads?.includes(load) === false) continue;
    if (isResponses(load) && load !== 'responses_proxied') await planResponses(stack, apiKey);
    for (const system of ['bare', ...systems] as const) await warmUp(system, load, connections);
    for (let round = 0; round < rounds; round += 1) {
      const turned = round % 2 === 0 ? systems : systems.toReversed();
      for (const system of ['bare', ...turned, 'bare'] as const)
        measured.push(await measure(system, load, connections, round));
    }
  }
  const mib = (system: System) => Math.round(readUse(system).residentBytes / 1024 ** 2);
  console.log(`Medians of ${rounds} rounds of ${seconds} s\n`);
  new Report(measured, { bare: mib('bare'), portkey: mib('portkey'), ours: mib('ours') }).print();
} finally {
  redis.disconnect();
  await stack.stop();
  for (const server of [provider, bare, portkey]) server.stop();
}

/** Sends requests until the throughput stops growing. */
async function warmUp(system: System, load: Case, connections: number): Promise<void> {
  const target = targets[system](load);
  let best = 0;
  for (let run = 1; run <= plateau.runsMax; run += 1) {
    const { requestsPerSecond } = await runLoad(target, connections, plateau.seconds);
    if (run >= plateau.runsMin && requestsPerSecond < best * plateau.gain) break;
    best = Math.max(best, requestsPerSecond);
  }
  if (system === 'ours') await queueIsEmpty();
}

async function measure(system: System, load: Case, connections: number, round: number): Promise<Measured> {
  const target = targets[system](load);
  const before = readUse(system);
  const figures = await runLoad(target, connections, seconds);
  if (system === 'ours') await queueIsEmpty();
  const processorMs = readUse(system).processorMs - before.processorMs;
  return { system, load, connections, round, figures, processorMs };
}

/** The CPU time and memory of a system's processes, including the gateway's databases and message bus. */
function readUse(system: System): ProcessUse {
  if (system !== 'ours') return readUseOf((system === 'bare' ? bare : portkey).pid);
  const uses = [...readProcessUse(stack).values()];
  const sum = (field: keyof ProcessUse) => uses.reduce((total, use) => total + use[field], 0);
  return { processorMs: sum('processorMs'), residentBytes: sum('residentBytes') };
}

/**
 * Waits until every usage event is written, so that one system's pending work does not slow down the next
 * system.
 */
async function queueIsEmpty(): Promise<void> {
  for (let quiet = 0; quiet < 5;) {
    const [waiting, active] = await Promise.all([
      redis.llen('bull:request-events:wait'),
      redis.llen('bull:request-events:active'),
    ]);
    quiet = waiting + active === 0 ? quiet + 1 : 0;
    await sleep(200);
  }
}
