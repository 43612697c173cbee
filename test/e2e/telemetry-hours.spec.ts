import { analyticsDayList, type RequestLogEntry } from '@gateway/contracts';
import type { ReplayProvider } from '@gateway/testing';
import { untilDayLasts } from '../integration/stack.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { callFor, invalid } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { baseUrl, makeTraffic, sumLoggedRows, waitForRows, type Traffic } from './telemetry.fixture.ts';

let provider: ReplayProvider;
let traffic: Traffic;
let rows: RequestLogEntry[];

beforeAll(async () => {
  await untilDayLasts(60_000);
  provider = await startProvider();
  traffic = await makeTraffic(provider);
  rows = await waitForRows(traffic.account.apiKey, traffic.seen.length);
}, 180_000);
afterAll(() => provider.close());

test('analytics by hour cover the hours of today until now, with the sums of the requests of each hour', async () => {
  for (const [query, isWanted] of [
    ['', () => true],
    ['&session_id=s-one', (row: RequestLogEntry) => row.session_id === 's-one'],
  ] as const) {
    const path = `/v1/usage/analytics/daily?days=1&interval=hour${query}`;
    const { hours, data } = await callFor(analyticsDayList, 200, { path, key: traffic.account.apiKey });
    const now = new Date().toISOString();
    expect(hours!.at(0)?.hour.slice(0, 13)).toBe(`${now.slice(0, 10)}T00`);
    expect(hours!.at(-1)?.hour.slice(0, 13)).toBe(now.slice(0, 13));
    expect(hours).toHaveLength(Number(now.slice(11, 13)) + 1);
    for (const each of hours!) {
      const own = rows.filter(
        (row) => row.created_at.slice(0, 13) === each.hour.slice(0, 13) && isWanted(row),
      );
      expect(each).toMatchObject(sumLoggedRows(own));
      if (own.length > 0) expect(each.total_p95_ms).toBeGreaterThanOrEqual(each.total_p50_ms!);
    }
    expect(hours!.reduce((sum, { requests }) => sum + requests!, 0)).toBe(data[0]?.requests);
  }
  const { hours } = await callFor(analyticsDayList, 200, {
    path: `/v1/usage/analytics/daily`,
    key: traffic.account.apiKey,
  });
  expect(hours).toBeNull();
});

test('analytics by hour cover a single day', async () => {
  const path = '/v1/usage/analytics/daily?days=2&interval=hour';
  const answer = await send(baseUrl, { path, key: traffic.account.apiKey });
  expectError(answer, { ...invalid, code: 'invalid_field', param: 'days' });
});
