import { setTimeout as waitMs } from 'node:timers/promises';
import { startHealthServer, type Readiness } from './health-server.ts';
import { createMetrics } from './metrics.ts';

const metrics = createMetrics('account');

async function ask(ready: () => Readiness | Promise<Readiness>, path: string, method = 'GET') {
  const server = await startHealthServer({ host: '127.0.0.1', port: 0, metrics, ready });
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return { status: response.status, body: await response.text() };
  } finally {
    await server.close();
  }
}

it('is live while it responds', async () => {
  expect(await ask(() => ({ postgres: false }), '/health/live')).toMatchObject({ status: 200 });
});

it('is ready when every dependency is ready, and otherwise names the dependencies that are not ready', async () => {
  expect((await ask(() => ({ postgres: true, messaging: true }), '/health/ready')).status).toBe(200);
  const answer = await ask(() => ({ postgres: false, messaging: true }), '/health/ready');
  expect(answer.status).toBe(503);
  expect(JSON.parse(answer.body)).toEqual({
    status: 'not_ready',
    dependencies: { postgres: false, messaging: true },
  });
});

it('requires a startup-only dependency once, and stays ready if the dependency fails later', async () => {
  const dependencies = { redis: false };
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    metrics,
    ready: () => ({ service: true, ...dependencies }),
    survives: ['redis'],
  });
  const state = async () => (await fetch(`http://127.0.0.1:${server.port}/health/ready`)).status;
  expect(await state()).toBe(503);
  dependencies.redis = true;
  expect(await state()).toBe(200);
  dependencies.redis = false;
  expect(await state()).toBe(200);
  await server.close();
});

it('is not ready when the check fails or hangs', async () => {
  expect((await ask(() => Promise.reject(new Error('no')), '/health/ready')).status).toBe(503);
  const hanging = () => waitMs(60_000, {}, { ref: false });
  expect((await ask(hanging, '/health/ready')).status).toBe(503);
}, 10_000);

it('serves the event loop delay and the service metrics', async () => {
  metrics
    .histogram({ name: 'plan_duration_seconds', help: 'Planning.', labels: ['outcome'] })
    .observe({ outcome: 'planned' }, 0.004);
  const { status, body } = await ask(() => ({}), '/metrics');
  expect(status).toBe(200);
  expect(body).toContain('nodejs_eventloop_lag_p99_seconds');
  expect(body).toContain('plan_duration_seconds_bucket{le="0.005",service="account",outcome="planned"} 1');
});

it('rejects other paths and methods', async () => {
  expect((await ask(() => ({}), '/')).status).toBe(404);
  expect((await ask(() => ({}), '/metrics', 'POST')).status).toBe(405);
});
