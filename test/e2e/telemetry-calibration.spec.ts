import {
  analyticsDayList,
  recallAlertPage,
  requestDetail,
  routingCalibration,
  type RequestDetail,
} from '@gateway/contracts';
import type { ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import type { TestAccount } from './account.fixture.ts';
import { call, callFor } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { askWithTools, baseUrl, enqueueCall, openAccount, waitForRows } from './telemetry.fixture.ts';

/**
 * The minimum number of conversations that prove a recall of 90% if no tool is missed. A later test adds one
 * conversation that needs a low-ranked tool.
 */
const clean = 29;
const path = '/v1/account/routing/calibration';

let provider: ReplayProvider;
let account: TestAccount;
let details: RequestDetail[];
let deep: string;

const readCalibration = ({ apiKey } = account) => callFor(routingCalibration, 200, { path, key: apiKey });

beforeAll(async () => {
  provider = await startProvider();
  account = await openAccount(provider);
  const preferences = { pruning: { mode: 'shadow', recall_target: 0.9 } };
  await call(200, {
    ...{ method: 'PUT', path: '/v1/account/routing/preferences', key: account.apiKey },
    body: preferences,
  });
  for (let at = 0; at < clean; at += 1) await askInSession(`clean-${at}`, 'get_weather');
}, 120_000);
afterAll(() => provider.close());

async function askInSession(session: string, called: string): Promise<void> {
  enqueueCall(provider, called);
  const { response } = await askWithTools(account.apiKey, session);
  // All tools are forwarded, and the plan is only logged.
  expect(response.headers.get('x-svc-tools-output')).toBe('118');
}

test('calibration chooses a K when there are enough conversations for the recall bound', async () => {
  const shown = await eventually(async () => {
    const read = await readCalibration();
    return read.buckets.some(({ samples }) => samples === clean) ? read : undefined;
  });
  expect(shown).toMatchObject({ object: 'routing.calibration', recall_target: 0.9 });
  expect(shown.version).toMatch(/^c\d+$/);
  const [bucket] = shown.buckets;
  expect(bucket).toMatchObject({
    samples: clean,
    basis: 'calibrated',
    reason: 'target_met',
    samples_needed: 0,
    restarted_at: null,
  });
  expect(shown.recovery_rate).toMatchObject({ used: 0.5, source: 'prior' });
  expect(shown.policy).toEqual(
    shown.buckets.map(({ bucket: name, k, effective_recall }) => ({
      bucket: name,
      k,
      threshold: effective_recall!.low,
    })),
  );
  expect(bucket!.bucket).toMatch(/:101-250$/);
  const [policy] = shown.policy;
  const low = 0.05 ** (1 / clean);
  expect(policy!.threshold).toBeCloseTo(low, 6);
  expect(bucket!.recall_at[String(policy!.k)]).toEqual({ value: 1, low: policy!.threshold, high: 1 });
  expect(bucket!.kept_share).toBeCloseTo(policy!.k / 118, 9);
  expect(shown.policy.map((each) => each.bucket)).toContain(bucket!.bucket.replace(/^[^:]*/, '*'));
  const analytics = { path: '/v1/usage/analytics/daily?days=2', key: account.apiKey };
  const { totals } = await callFor(analyticsDayList, 200, analytics);
  expect(totals?.recall).toMatchObject({ sessions: clean, high: expect.any(Number) as number });
  expect(totals!.recall.low).toBeLessThan(totals!.recall.value!);
  // No plan missed a tool, so effective recall equals recall.
  expect(totals!.recall).toMatchObject({
    value: 1,
    effective: { value: 1, low: expect.closeTo(low, 9) as number },
    target: 0.9,
  });
});

test('a conversation that needs a low-ranked tool is a miss, and the recall bound at the chosen K falls below the target', async () => {
  const rows = await waitForRows(account.apiKey, clean);
  details = await Promise.all(
    rows.map(({ id }) =>
      callFor(requestDetail, 200, { path: `/v1/account/requests/${id}`, key: account.apiKey }),
    ),
  );
  const { trace } = details[0]!;
  expect(trace.candidates.every(({ forwarded }) => forwarded)).toBe(true);
  deep = trace.candidates.filter(({ planned }) => !planned).at(-1)!.name;
  const { rank } = trace.candidates.find(({ name }) => name === deep)!;
  await askInSession('deep', deep);
  const shown = await eventually(async () => {
    const read = await readCalibration();
    return read.buckets.some(({ samples }) => samples === clean + 1) ? read : undefined;
  });
  expect(shown.policy[0]!.k).toBeGreaterThan(100);
  // The tool router computes recall only for certain values of K, so the chosen K may be slightly above the rank.
  expect(shown.policy[0]!.k).toBeLessThanOrEqual(Math.ceil(rank * 1.12));
  expect(shown.buckets[0]!.recall_at['50']).toMatchObject({ value: clean / (clean + 1) });
});

test('a missed tool lowers effective recall only by the share of tools that recovery does not return', async () => {
  const analytics = { path: '/v1/usage/analytics/daily?days=2', key: account.apiKey };
  const { totals } = await callFor(analyticsDayList, 200, analytics);
  const { sessions, value, effective } = totals!.recall;
  expect([sessions, value]).toEqual([clean + 1, clean / (clean + 1)]);
  expect(effective.value).toBeCloseTo((clean + 0.5) / (clean + 1), 9);
  expect(effective.low).toBeGreaterThan(totals!.recall.low!);
});

test('in a shadow conversation, a call to a tool outside the plan causes an alert', async () => {
  const { data } = await callFor(recallAlertPage, 200, {
    path: '/v1/account/tools/recall-alerts',
    key: account.apiKey,
  });
  expect(data).toMatchObject([{ tool: deep, detected_by: 'shadow', pruned_because: 'below_k' }]);
  expect(data[0]!.rank).toBeGreaterThan(100);
});

test('another account cannot read the calibration or the alerts', async () => {
  const nobody = await openAccount(provider);
  expect(await readCalibration(nobody)).toMatchObject({
    ...{ version: null, policy: [], buckets: [], updated_at: null },
  });
  expect((await send(baseUrl, { path })).status).toBe(401);
});
