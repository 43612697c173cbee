// `npm run bench:gateway` measures requests per second and latency.
// The benchmark compares this gateway, a bare proxy and Portkey's gateway in one run on one machine.
import { startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareAccount } from './bench-account.ts';
import { renderBodies } from './bodies.ts';
import { median, runLoad, type LoadFigures, type LoadTarget } from './load.ts';
import { installBenchPrograms, startBareProxy, startPortkey, startProvider } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
/** Sends requests to a new process until its hot code is compiled. */
const warmUpSeconds = 10;
const path = '/v1/chat/completions';
const model = 'gpt-4o-mini';

type Case = 'plain' | 'tools' | 'conversation';
type System = 'bare' | 'portkey' | 'ours';

interface Measured {
  readonly system: System;
  readonly load: Case;
  readonly connections: number;
  readonly figures: LoadFigures;
}

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

const targets: Record<System, (load: Case) => LoadTarget> = {
  bare: (load) => ({ url: bare.url + path, headers: {}, body: bodies[load](model) }),
  portkey: (load) => ({
    url: portkey.url + path,
    headers: {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${provider.url}/v1`,
      authorization: 'Bearer provider-key',
    },
    body: bodies[load](model),
  }),
  ours: (load) => ({
    url: stack.baseUrl + path,
    headers: { authorization: `Bearer ${apiKey}` },
    body: bodies[load](`openai/${model}`),
  }),
};

const measured: Measured[] = [];
try {
  for (const [load, connections, systems] of [
    ['plain', 32, ['bare', 'portkey', 'ours']],
    ['plain', 1, ['bare', 'portkey', 'ours']],
    ['tools', 1, ['bare', 'ours']],
    ['conversation', 1, ['bare', 'ours']],
  ] as const) {
    for (let round = 0; round <= rounds; round += 1) {
      for (const system of systems) {
        const figures = await runLoad(
          targets[system](load),
          connections,
          round === 0 ? warmUpSeconds : seconds,
        );
        // The first measurement round only warms up the processes.
        if (round > 0) measured.push({ system, load, connections, figures });
        if (system === 'ours') await queueIsEmpty();
      }
    }
  }
  report();
} finally {
  redis.disconnect();
  await stack.stop();
  for (const server of [provider, bare, portkey]) server.stop();
}

/**
 * Waits until every usage event is written, so that pending work of one system does not slow down the next
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

function middle(system: System, load: Case, connections: number): LoadFigures {
  const runs = measured.filter(
    (run) => run.system === system && run.load === load && run.connections === connections,
  );
  const of = (figure: keyof LoadFigures) => median(runs.map((run) => run.figures[figure]));
  return { requestsPerSecond: of('requestsPerSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}

function report(): void {
  const rows = [
    ...new Set(measured.map(({ system, load, connections }) => `${load}|${connections}|${system}`)),
  ];
  console.log(`Medians of ${rounds} rounds of ${seconds} s\n`);
  console.log('request       connections  system    requests/s    p50 ms    p99 ms');
  const figures: Record<string, LoadFigures> = {};
  for (const row of rows) {
    const [load = '', connections = '', system = ''] = row.split('|');
    const run = middle(system as System, load as Case, Number(connections));
    figures[`${system}_${load}_${connections}`] = run;
    console.log(
      [
        load.padEnd(14),
        connections.padStart(10),
        `  ${system.padEnd(8)}`,
        run.requestsPerSecond.toFixed(0).padStart(12),
        run.p50Ms.toFixed(3).padStart(10),
        run.p99Ms.toFixed(3).padStart(10),
      ].join(''),
    );
  }
  const added = (load: Case) => middle('ours', load, 1).p50Ms - middle('bare', load, 1).p50Ms;
  const summary = {
    ratio_to_portkey:
      middle('ours', 'plain', 32).requestsPerSecond / middle('portkey', 'plain', 32).requestsPerSecond,
    ratio_to_bare:
      middle('ours', 'plain', 32).requestsPerSecond / middle('bare', 'plain', 32).requestsPerSecond,
    added_p50_ms: {
      plain: added('plain'),
      tools_100: added('tools'),
      conversation_1mb: added('conversation'),
    },
    targets: { ratio_to_portkey: 2, added_p50_ms: { plain: 1, tools_100: 5, conversation_1mb: 12 } },
    figures,
  };
  console.log(`\n${JSON.stringify(summary)}`);
}
