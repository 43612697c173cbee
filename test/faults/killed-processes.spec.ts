import { startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { plainAnswer, startProvider } from '../e2e/provider.fixture.ts';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import { expectAllAnswered, expectAllLogged, readRows, runTraffic } from './traffic.fixture.ts';

/**
 * A rate limit that suffices for a whole test run, even while Redis is down. While Redis is down, only one
 * eighth of the rate limit applies.
 */
const rate_limit_rpm = 1_000_000;
let stack: StackUnderTest;
let key: string;
const undo: Undo[] = [];

beforeAll(async () => {
  stack = await startStack({ restartCrashed: true });
  undo.push(() => stack.stop());
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

/** Each test run uses a new account with an empty request log. */
beforeEach(async () => {
  const { apiKey } = await createTestAccount(stack);
  key = (await createTestKey(stack.baseUrl, apiKey, { name: 'runs', rate_limit_rpm })).key;
});

const sandbox = (name: string) => ({ baseUrl: stack.baseUrl, key, name, model: 'sandbox/sandbox-1' });

/** Kills a process to simulate a crash. Waits until the supervisor has restarted the killed process. */
async function killAndWait(name: string): Promise<void> {
  const unit = stack.service(name);
  const { pid } = unit;
  await unit.kill('SIGKILL');
  await unit.waitReady();
  expect(unit.pid).not.toBe(pid);
}

describe('kill -9 during a run with 200 tool requests', () => {
  it.each(['tool-router', 'compressor', 'worker', 'redis', 'redis-cache', 'nats'])(
    'a kill of %s fails no request, and each request is logged once',
    async (victim) => {
      const run = { ...sandbox(victim), disturb: () => killAndWait(victim) };
      const outcomes = await runTraffic(run);
      expectAllAnswered(outcomes);
      const rows = await expectAllLogged(run, outcomes);
      const reasons = new Set(rows.map((row) => row.k_reason));
      // While the tool router is running, later requests in a conversation get the same tools as the first request.
      expect(reasons).toContain('frozen');
      // While the tool router or NATS was down, planning failed, and the log shows the reason `unavailable`.
      if (victim === 'tool-router' || victim === 'nats') expect(reasons).toContain('unavailable');
      const edgeLog = stack.logs('edge-gateway');
      if (victim === 'redis') expect(edgeLog).toContain('saved-token budgets are local');
      if (victim === 'redis-cache') expect(edgeLog).toContain('rate limits are local');
    },
    180_000,
  );

  it('after a kill of the edge, every request that reached the provider has one row, ok or interrupted', async () => {
    const provider = await startReplay();
    const run = { ...sandbox('edge'), model: 'openai/gpt-4o', disturb: () => killAndWait('edge-gateway') };
    const outcomes = await runTraffic(run);
    const isBroken = outcomes.filter(({ status }) => status === 0);
    expect(isBroken.length).toBeGreaterThan(0);
    const forwarded = provider.requests.map(({ body }) => nameIn(body));
    const rows = await readRows(run, (each) => {
      const logged = new Set(each.map((row) => row.client_request_id));
      return forwarded.every((name) => logged.has(name));
    });
    // This wait gives any additional request log row the time to arrive.
    await waitMs(2_000);
    const settled = await readRows(run, () => true);
    expect(settled.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());

    const names = settled.map((row) => row.client_request_id);
    expect(new Set(names).size).toBe(names.length);
    const byStatus = Object.groupBy(settled, ({ status }) => status);
    expect(Object.keys(byStatus).sort()).toEqual(['interrupted', 'ok']);
    // A complete response may have the status `interrupted` if the edge was killed before it stored the status.
    expect(byStatus.interrupted!.length).toBeLessThan(20);
  }, 180_000);

  async function startReplay(): Promise<ReplayProvider> {
    const provider = await startProvider();
    undo.push(() => provider.close());
    provider.setControls({ ...plainAnswer, firstByteDelayMs: 40 });
    const base_url = `${provider.url}/v1`;
    await connectProvider(stack.baseUrl, key, { provider: 'openai', api_key: 'sk-upstream', base_url });
    return provider;
  }

  const nameIn = (body: Buffer) => (JSON.parse(body.toString('utf8')) as { user: string }).user;
});
