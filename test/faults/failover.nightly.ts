import { startStack, type StackUnderTest } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  type TestAccount,
} from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { plainAnswer, startProvider, streamedAnswer } from '../e2e/provider.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { sendSteadily, type Outcome } from './steady-load.fixture.ts';
import { expectLedgerOfLog, expectSumsOfLog, query } from './lost-nothing.fixture.ts';
import { startReplicatedServers, type ReplicatedServers } from './replicated-servers.fixture.ts';

const perSecond = 50;
/** The time without faults at the start, in milliseconds. */
const calmMs = 8_000;
/** The time between the last replicated write and the death of the primary, in milliseconds. */
const lagMs = 2_000;
/** The time that a failover manager needs to promote the standby, in milliseconds. */
const promotedAfterMs = 3_000;
/** The maximum time from the death of the primary until all requests succeed, in milliseconds. */
const recoveredMsMax = 15_000;
const afterMs = 30_000;

let servers: ReplicatedServers;
let stack: StackUnderTest;
let account: TestAccount;
let key: string;
const forwarded = new Set<string>();
const undo: Undo[] = [];

beforeEach(async () => {
  servers = await startReplicatedServers();
  undo.push(() => servers.stop());
  stack = await startStack({ servers: servers.variables });
  undo.push(() => stack.stop());
  const provider = await startProvider();
  undo.push(() => provider.close());
  forwarded.clear();
  provider.setControls(({ body }) => {
    const { user, stream } = JSON.parse(body.toString('utf8')) as { user: string; stream: boolean };
    forwarded.add(user);
    return { ...(stream ? streamedAnswer(['Done.']) : plainAnswer), firstByteDelayMs: 5 };
  });
  account = await createTestAccount(stack);
  const connection = { provider: 'openai', api_key: 'sk-upstream', base_url: `${provider.url}/v1` };
  await connectProvider(stack.baseUrl, account.apiKey, connection);
  const limits = { rate_limit_rpm: 1_000_000, daily_token_budget: 2_000_000_000, k_target_override: 4 };
  ({ key } = await createTestKey(stack.baseUrl, account.apiKey, { name: 'failover', ...limits }));
}, 240_000);
afterEach(() => undoAll(undo.splice(0)), 120_000);

/** Cuts replication, lets the standby fall behind, and kills the primary. Returns the time of the kill. */
async function failOver(which: 'postgres' | 'redis'): Promise<number> {
  const targets = which === 'postgres' ? [servers.postgres] : Object.values(servers.redis);
  await waitMs(calmMs);
  for (const target of targets) await target.cutReplication();
  await waitMs(lagMs);
  for (const target of targets) expect(await target.readLagBytes()).toBeGreaterThan(0);
  const killedAtMs = performance.now();
  await Promise.all(targets.map((target) => target.killPrimary()));
  if (which === 'redis') return killedAtMs;
  await waitMs(promotedAfterMs);
  await servers.postgres.promote();
  return killedAtMs;
}

/** The request log has exactly one row of each forwarded request, also of those that the standby never received. */
async function expectNothingLost(urls: Readonly<Record<'telemetry' | 'billing', string>>): Promise<void> {
  const read = () =>
    query<{ name: string }>(
      urls.telemetry,
      'SELECT client_request_id AS name FROM request_log WHERE account_id = $1',
      [account.accountId],
    );
  const isComplete = async () => {
    const logged = new Set((await read()).map(({ name }) => name));
    return [...forwarded].every((name) => logged.has(name)) ? true : undefined;
  };
  await eventually(isComplete, 90_000).catch(() => undefined);
  await waitMs(3_000);
  const rows = await read();
  const logged = new Set(rows.map(({ name }) => name));
  expect([...forwarded].filter((name) => !logged.has(name))).toEqual([]);
  expect(rows).toHaveLength(logged.size);
  await expectSumsOfLog(urls.telemetry, account.accountId);
  await expectLedgerOfLog(urls, account.accountId, 60_000);
}

/** Returns the time from the death of the primary until the end of the last failed request, by kind. */
function recoveryByKind(outcomes: readonly Outcome[], killedAtMs: number): Record<string, number> {
  const failures = outcomes.filter(({ status }) => status < 200 || status > 299);
  const byKind = [...Map.groupBy(failures, ({ kind }) => kind)];
  return Object.fromEntries(
    byKind.map(([kind, failed]) => [kind, Math.max(...failed.map(({ endMs }) => endMs)) - killedAtMs]),
  );
}

it.each(['postgres', 'redis'] as const)(
  'while the standby of %s with lost writes takes over, no request is lost, and all requests succeed within 15 s',
  async (which) => {
    const load = { baseUrl: stack.baseUrl, apiKey: account.apiKey, key, perSecond };
    const durationMs = calmMs + lagMs + promotedAfterMs + afterMs;
    const [outcomes, killedAtMs] = await Promise.all([
      sendSteadily({ ...load, durationMs }),
      failOver(which),
    ]);
    const recoveries = recoveryByKind(outcomes, killedAtMs);
    const chats = outcomes.filter(({ kind }) => kind === 'chat');
    const failed = outcomes.filter(({ status }) => status < 200 || status > 299);
    const codes = Map.groupBy(failed, ({ kind, status, code }) => `${kind} ${status} ${code ?? ''}`);
    const slowest = Math.max(...chats.map(({ startMs, endMs }) => endMs - startMs));
    console.log(
      JSON.stringify({
        ...{ which, sent: outcomes.length, chats: chats.length, forwarded: forwarded.size },
        failed: Object.fromEntries([...codes].map(([name, each]) => [name, each.length])),
        recoveryMs: recoveries,
        slowestChatMs: Math.round(slowest),
      }),
    );
    expect(chats.length).toBeGreaterThan((0.9 * perSecond * durationMs) / 1_000);
    expect(Object.values(recoveries).filter((ms) => ms > recoveredMsMax)).toEqual([]);
    const documented = new Set(['service_unavailable', 'rate_limit_exceeded']);
    expect(failed.filter(({ code }) => !documented.has(code ?? ''))).toEqual([]);
    const urls = which === 'postgres' ? servers.postgres.standbyUrls : servers.directUrls;
    await expectNothingLost(urls);
    const answer = await send(stack.baseUrl, { path: '/v1/account/requests?limit=1', key: account.apiKey });
    expect(answer.status).toBe(200);
  },
);
