import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { authenticateKey } from '@gateway/contracts';
import { startRequestTrace, startTelemetry, type Telemetry } from '@gateway/observability';
import { findFreePort, startOtlpReceiver, type OtlpReceiver } from '@gateway/testing';
import { build } from 'esbuild';
import { Bus, failureOf, until } from './bus.fixture.ts';

/**
 * An app with the same structure as the services. The app has no decorator metadata, injects dependencies
 * with @Inject, and is bundled with esbuild.
 */
const source = `
import { Controller, Inject, Module } from '@nestjs/common';
import { authenticateKey } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { parseConfig, serviceVariables } from '@gateway/messaging';
import { runService } from '@gateway/messaging/run-service';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { z } from 'zod';

class Store {
  find(hash: string) {
    if (hash.startsWith('0')) throw new GatewayError('not_found', { message: 'No such key.' });
    if (hash.startsWith('1')) throw new Error('broken: sk-svc-aaaaaaaaaaaaaaaaaaaaaaaa');
    if (!hash.startsWith('2')) return { grant: null };
    process.stdout.write('{"msg":"has begun"}\\n');
    return new Promise((resolve) => setTimeout(resolve, 4_000, { grant: null }));
  }
  onModuleDestroy() { process.stdout.write('{"msg":"store is closed"}\\n'); }
}
@Controller()
class KeyHandler {
  readonly store: Store;
  constructor(@Inject(Store) store: Store) { this.store = store; }
  @RpcHandler(authenticateKey)
  authenticate(request: { keySha256: string }) { return this.store.find(request.keySha256); }
}
@Module({ controllers: [KeyHandler], providers: [Store] })
class Root {}
const config = parseConfig(z.object(serviceVariables), process.env);
await runService({ name: 'account', config, createModule: () => Root });
`;

const root = resolve(import.meta.dirname, '../../..');
let folder: string;
let bus: Bus;
let receiver: OtlpReceiver;
let telemetry: Telemetry;
const started: ChildProcess[] = [];

beforeAll(async () => {
  // The bundle is written next to the sources, so that Node finds the npm packages.
  folder = await mkdtemp(join(root, 'node_modules/.service-'));
  await build({
    absWorkingDir: root,
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: 'ts' },
    tsconfig: 'tsconfig.json',
    outfile: join(folder, 'main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    plugins: [
      {
        name: 'external-packages',
        setup: (bundler) =>
          bundler.onResolve({ filter: /^[^./]/ }, ({ path }) =>
            path.startsWith('@gateway/') ? undefined : { path, external: true },
          ),
      },
    ],
  });
  [bus, receiver] = await Promise.all([Bus.start(), startOtlpReceiver()]);
  telemetry = await startTelemetry({
    serviceName: 'edge-gateway',
    instanceId: 'edge-1',
    otlpEndpoint: receiver.url,
    sampleRatio: 1,
  });
}, 60_000);
afterAll(async () => {
  for (const service of started) service.kill('SIGKILL');
  await telemetry.shutdown();
  await receiver.close();
  await bus.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(variables: Record<string, string>) {
  const healthPort = await findFreePort();
  const service = spawn(process.execPath, [join(folder, 'main.mjs')], {
    env: {
      NATS_URL: bus.server.url,
      NATS_USER: 'account',
      NATS_PASSWORD: 'unused',
      HEALTH_PORT: String(healthPort),
      ...variables,
    },
  });
  started.push(service);
  let output = '';
  const take = (chunk: Buffer): void => void (output += chunk.toString('utf8'));
  service.stdout.on('data', take);
  service.stderr.on('data', take);
  // Returns the exit code and the complete output of the process.
  const exit = once(service, 'close').then(([code]) => code as number | null);
  const ready = async () =>
    (await fetch(`http://127.0.0.1:${healthPort}/health/ready`).catch(() => undefined))?.status;
  return { service, healthPort, exit, ready, output: () => output };
}

const hashOf = (digit: string) => ({ keySha256: digit.repeat(64) });

it('a bundled service without decorator metadata replies within the same trace as its caller', async () => {
  const running = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, INSTANCE_ID: 'account-1' });
  const caller = await bus.connectAs('edge-gateway');
  await until(async () => (await running.ready()) === 200, 20_000);

  const request = startRequestTrace(undefined, 'POST /v1/chat/completions');
  await request.run(async () => {
    expect(await caller.call(authenticateKey, hashOf('a'))).toEqual({ grant: null });
    const notFound = await failureOf(caller.call(authenticateKey, hashOf('0')));
    expect(notFound).toMatchObject({ code: 'not_found', message: 'No such key.' });
    expect((await failureOf(caller.call(authenticateKey, hashOf('1')))).code).toBe('internal_error');
  });
  request.end();

  const spans = await receiver.waitForTrace(request.traceId, (found) => found.length >= 7, 15_000);
  const edge = spans.find((span) => span.parentSpanId === null);
  const asked = spans.filter((span) => span.kind === 'client' && span.parentSpanId === edge?.spanId);
  expect(asked).toHaveLength(3);
  const served = spans.filter((span) => span.serviceName === 'account' && span.kind === 'server');
  expect(served.map((span) => span.parentSpanId).sort()).toEqual(asked.map((span) => span.spanId).sort());
  expect(served[0]?.attributes).toMatchObject({
    'rpc.system.name': 'nats',
    'rpc.method': 'account.authenticate-key.v1',
  });
  running.service.kill('SIGTERM');
  expect(await running.exit).toBe(0);
  expect(running.output()).toContain(request.traceId);
  expect(running.output()).not.toContain('sk-svc-aaaa');
  expect(running.output()).toContain('[redacted]');
}, 60_000);

it('on SIGTERM the service reports not ready, replies to requests in progress, closes its module, and exits with 0', async () => {
  const running = await start({});
  const caller = await bus.connectAs('edge-gateway', 'edge-2');
  await until(async () => (await running.ready()) === 200, 20_000);
  const begun = caller.call(authenticateKey, hashOf('2'), { deadlineMs: 20_000 });
  await until(() => running.output().includes('has begun'));
  running.service.kill('SIGTERM');
  await until(async () => (await running.ready()) === 503);
  expect(await begun).toEqual({ grant: null });
  expect(await running.exit).toBe(0);
  expect(running.output()).toContain('store is closed');
}, 60_000);

it('an invalid configuration stops startup, and the error lists every invalid variable without its value', async () => {
  const running = await start({ NATS_PASSWORD: '', HEALTH_PORT: '99999999', LOG_LEVEL: 'loud-hunter22' });
  expect(await running.exit).toBe(1);
  for (const name of ['NATS_PASSWORD', 'HEALTH_PORT', 'LOG_LEVEL']) expect(running.output()).toContain(name);
  expect(running.output()).not.toContain('hunter22');
}, 60_000);

it('starts while NATS is unavailable, and reports messaging as not ready', async () => {
  const running = await start({ NATS_URL: 'nats://127.0.0.1:9' });
  await until(async () => (await running.ready()) === 503);
  const expected = { status: 'not_ready', dependencies: { service: true, messaging: false } };
  let told: unknown;
  await until(async () => {
    told = await (await fetch(`http://127.0.0.1:${running.healthPort}/health/ready`)).json();
    return JSON.stringify(told) === JSON.stringify(expected);
  }).catch(() => undefined);
  expect(told).toEqual(expected);
  running.service.kill('SIGTERM');
  expect(await running.exit).toBe(0);
}, 60_000);
