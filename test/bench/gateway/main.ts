// `npm run bench:gateway` measures requests per second and latency.
// The benchmark compares this gateway, a bare proxy and Portkey's gateway in one run on one machine.
import { startStack } from '@gateway/testing';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { planResponses, prepareAccount } from './bench-account.ts';
import { renderBodies, type BodyKind } from './bodies.ts';
import { median, runLoad, type LoadFigures, type LoadTarget } from './load.ts';
import { installBenchPrograms, startBareProxy, startPortkey, startProvider } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
/** Sends requests to a new process until its hot code is compiled. */
const warmUpSeconds = 10;
const paths = { 'chat-completions': '/v1/chat/completions', responses: '/v1/responses' };
/** The loads to measure, as names of `Case`. By default, all loads are measured. */
const loads = process.env['BENCH_LOADS']?.split(',');
const model = 'gpt-4o-mini';

/** Requests of the Responses API are proxied, or planned if the account turned on `responses.plan`. */
type Case = BodyKind | 'responses_proxied' | `responses_${BodyKind}`;
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

const isResponses = (load: Case) => load.startsWith('responses_');

function requestOf(load: Case, named: string): { readonly path: string; readonly body: string } {
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
    ['plain', 32, ['bare', 'portkey', 'ours']],
    ['plain', 1, ['bare', 'portkey', 'ours']],
    ['tools', 1, ['bare', 'ours']],
    ['conversation', 1, ['bare', 'ours']],
    ['responses_proxied', 1, ['bare', 'ours']],
    ['responses_plain', 1, ['bare', 'ours']],
    ['responses_tools', 1, ['bare', 'ours']],
    ['responses_conversation', 1, ['bare', 'ours']],
  ] as const) {
    if (loads?.includes(load) === false) continue;
    if (isResponses(load) && load !== 'responses_proxied') await planResponses(stack, apiKey);
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
  console.log('request                 connections  system    requests/s    p50 ms    p99 ms');
  const figures: Record<string, LoadFigures> = {};
  for (const row of rows) {
    const [load = '', connections = '', system = ''] = row.split('|');
    const run = middle(system as System, load as Case, Number(connections));
    figures[`${system}_${load}_${connections}`] = run;
    console.log(
      [
        load.padEnd(24),
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
    added_p50_ms_responses: {
      proxied: added('responses_proxied'),
      plain: added('responses_plain'),
      tools_100: added('responses_tools'),
      conversation_1mb: added('responses_conversation'),
    },
    targets: { ratio_to_portkey: 2, added_p50_ms: { plain: 1, tools_100: 5, conversation_1mb: 12 } },
    figures,
  };
  console.log(`\n${JSON.stringify(summary)}`);
}
