import { billing, type Billing, type RequestLogEntry } from '@gateway/contracts';
import { sharedStack, signUpPerson, type ReplayProvider } from '@gateway/testing';
import { eventually, untilDayLasts } from '../integration/stack.fixture.ts';
import { openLedgerEnds, type LedgerEnds } from '../integration/billing/ledger.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { callFor } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { baseUrl, makeTraffic, openAccount, waitForRows, type Traffic } from './telemetry.fixture.ts';

let provider: ReplayProvider;
let traffic: Traffic;
let rows: RequestLogEntry[];
let ends: LedgerEnds;

beforeAll(async () => {
  await untilDayLasts(60_000);
  provider = await startProvider();
  ends = openLedgerEnds(sharedStack());
  traffic = await makeTraffic(provider);
  rows = await waitForRows(traffic.account.apiKey, traffic.seen.length);
}, 180_000);
afterAll(async () => {
  await ends.close();
  await provider.close();
});

const read = (key: string) => callFor(billing, 200, { path: '/v1/account/billing', key });
const sum = (of: (row: RequestLogEntry) => number) => rows.reduce((total, row) => total + of(row), 0);
/** Waits until the ledger has entries for all requests. */
const untilBilled = (key: string, requests: number): Promise<Billing> =>
  eventually(async () => {
    const answer = await read(key);
    return answer.period.requests >= requests ? answer : undefined;
  });
const saved = (row: RequestLogEntry) => row.estimated_tokens_saved + row.compression_tokens_saved;

test('monthly totals equal the sums over the traffic of all keys', async () => {
  const saving = rows.filter((row) => saved(row) > 0);
  const { period } = await untilBilled(traffic.account.apiKey, saving.length);
  expect(period).toMatchObject({
    requests: saving.length,
    estimated_tokens_saved: sum((row) => row.estimated_tokens_saved),
    compression_tokens_saved: sum((row) => row.compression_tokens_saved),
    total_tokens_saved: sum(saved),
    recovery_tokens_deducted: sum((row) => row.recovery_tokens_deducted),
    net_tokens_saved: sum((row) => row.net_tokens_saved),
  });
  const fromClients = traffic.seen.reduce(
    (total, { toolsIn, toolsOut }) => total + (toolsIn - toolsOut) * 100,
    0,
  );
  expect(period.estimated_tokens_saved).toBe(fromClients);
  expect(period.compression_tokens_saved).toBeGreaterThan(0);
  expect(await read(traffic.second.key)).toMatchObject({ period });
  const now = Date.now();
  expect(Date.parse(period.start)).toBeLessThanOrEqual(now);
  expect(Date.parse(period.end)).toBeGreaterThan(now);
});

test('the ledger has exactly one entry for each request with savings', async () => {
  const { accountId, apiKey } = traffic.account;
  const saving = rows.filter((row) => saved(row) > 0);
  await untilBilled(apiKey, saving.length);
  const ledger = await ends.readLedger([accountId]);
  expect(ledger.map(({ request_id, key_id }) => [request_id, key_id])).toEqual(
    saving.map(({ id, key_id }) => [id, key_id]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
  expect(ledger).toEqual(await ends.readLog([accountId]));
});

test('another account’s billing is empty, and billing runs in self-hosted mode', async () => {
  const { apiKey } = await openAccount(provider);
  expect(await read(apiKey)).toMatchObject({
    object: 'billing',
    mode: 'self_hosted',
    plan: { id: 'self_hosted', fee_usd: 0 },
    subscription: null,
    period: { requests: 0, total_tokens_saved: 0 },
    estimate: { fee_usd: 0, billable_tokens_saved: 0, usage_usd: 0, total_usd: 0 },
    history: [],
    plans: [],
  });
});

test('a person sees the figures of the API, and has no amount due', async () => {
  const person = await signUpPerson(baseUrl);
  expect(await read(person.accessToken)).toMatchObject({ mode: 'self_hosted' });
  const urls = { success_url: 'https://gateway.example/paid', cancel_url: 'https://gateway.example/' };
  for (const [action, body] of [
    ['create-checkout', { plan_id: 'pro', ...urls }],
    ['customer-portal', { return_url: urls.cancel_url }],
    ['sync-checkout', { session_id: 'cs_test_1' }],
    ['sync-subscription', {}],
  ] as const) {
    const path = `/v1/billing/${action}`;
    expectError(await send(baseUrl, { path, key: person.accessToken, body }), {
      status: 409,
      type: 'billing_error',
      code: 'billing_not_configured',
    });
    expectError(await send(baseUrl, { path, key: traffic.account.apiKey, body }), {
      status: 403,
      type: 'permission_error',
      code: 'session_required',
    });
  }
});
