import { routingCalibration, type RequestDetail } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import pg from 'pg';
import { savedOf } from './figures.fixture.ts';
import { goTo } from './page.fixture.ts';
import {
  askAs,
  costOf,
  openTruth,
  readAll,
  readMain,
  sentBy,
  sum,
  wholeCostOf,
  wholeTokensOf,
  type Truth,
} from './truth-page.fixture.ts';
import { longConversations, overrideK, readDetail, shortConversations, target } from './truth.fixture.ts';
import type { KnownRequest } from './truth-traffic.fixture.ts';

let truth: Truth;
beforeAll(async () => {
  truth = await openTruth();
}, 240_000);
afterAll(() => truth.close());

const kinds = ['pruned', 'recovered', 'frozen', 'off', 'overridden'] as const;

describe.each(kinds)('a request (%s)', (kind) => {
  let known: KnownRequest;
  let detail: RequestDetail;
  beforeAll(async () => {
    known = truth.account[kind];
    detail = await readDetail(known.id, truth.account.person.accessToken);
  });

  test('the log row, headers and page of a request match the data of the client and the provider', async () => {
    const described = kind === 'recovered' ? 1 : 0;
    expect(detail).toMatchObject({
      tools_offered: known.offered.length,
      tools_in: known.offered.length,
      tools_out: sentBy(known) + described,
      prompt_tokens: sum(known.upstream.map(({ inputTokens }) => inputTokens)),
      completion_tokens: sum(known.upstream.map(({ outputTokens }) => outputTokens)),
      cost_usd: expect.closeTo(costOf(known), 9) as number,
    });
    expect(known.header('x-svc-tools-input')).toBe(String(known.offered.length));
    // In a non-streaming response, the recovery rounds end before the gateway sends the headers.
    expect(known.header('x-svc-tools-output')).toBe(String(detail.tools_out));
    const shown = await readAll(truth, `requests/${known.id}`);
    expect(shown.get('Tools sent')?.value).toBe(detail.tools_out);
    expect(shown.get('Tokens')?.value).toBe(detail.total_tokens);
    expect(shown.get('Tokens saved')?.value).toBe(savedOf(detail));
    expect(shown.get('Billed as saved')?.value).toBe(detail.net_tokens_saved);
    expect(shown.get('Billed as saved')?.hint).toContain('billing unit');
    expect(shown.get('Cost')?.value).toBeCloseTo(detail.cost_usd!, 9);
    expect(shown.get('Net savings')?.value).toBeCloseTo(detail.provider_savings_usd!, 9);
    expect(await readMain(truth)).toContain(
      `Tools sent / received: ${detail.tools_out} / ${detail.tools_in}`,
    );
  });

  test('the reported savings of a request differ by at most 5% of the whole request from the true savings', () => {
    const whole = wholeTokensOf(known);
    const rounds = known.upstream.slice(1);
    const roundTokens = sum(rounds.map(({ inputTokens }) => inputTokens)) + 20 * rounds.length;
    const saved = whole - known.upstream[0]!.inputTokens - roundTokens;
    expect(Math.abs(savedOf(detail) - saved)).toBeLessThan(0.05 * whole);
    const net = wholeCostOf(known) - costOf(known);
    expect(Math.abs(detail.provider_savings_usd! - net)).toBeLessThan(0.05 * wholeCostOf(known));
  });
});

describe('the calibration', () => {
  const findBucket = (band: string) =>
    truth.account.calibration.buckets.find(({ bucket }) => bucket === band)!;

  test('the calibration is on for the long list and off for the short list, as the traffic implies', () => {
    expect(findBucket('*:101-250')).toMatchObject({
      ...{ basis: 'calibrated', reason: 'target_met', samples: longConversations },
      forwarded_recall: { value: expect.any(Number) as number },
    });
    expect(findBucket('*:51-100')).toMatchObject({
      ...{ basis: 'off', reason: 'target_missed', samples: shortConversations, k: null },
    });
  });

  test('the calibration page shows each bucket with the values of the API', async () => {
    await goTo(truth.watched.page, 'routing?tab=calibration');
    const shown = await truth.watched.page
      .locator('section', { hasText: 'All buckets' })
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    expect(shown.map((cells) => [cells[1], cells[2], cells[3]])).toEqual(
      truth.account.calibration.buckets.map(({ basis, samples, k }) => [
        { calibrated: 'on, measured', prior: 'on, default', off: 'off' }[basis],
        String(samples),
        { calibrated: String(k), prior: 'default', off: 'all' }[basis],
      ]),
    );
    expect(await readMain(truth)).toContain(`Target ${target * 100}% for effective recall`);
  });

  test('the calibration and each request show one K, state, reason and policy', async () => {
    const { k } = findBucket('*:101-250');
    const { version } = truth.account.calibration;
    for (const kind of ['pruned', 'recovered'] as const) {
      await goTo(truth.watched.page, `requests/${truth.account[kind].id}`);
      expect(await readMain(truth)).toMatch(new RegExp(`K = ${k}\\. K was measured.*Policy: ${version} for`));
    }
    await goTo(truth.watched.page, `requests/${truth.account.frozen.id}`);
    // A plan always includes tools that the model called earlier, so the displayed K does not count these tools.
    expect(await readMain(truth)).toContain(`K = ${k! - 1}. Later requests`);
    await goTo(truth.watched.page, `requests/${truth.account.off.id}`);
    const off = await readMain(truth);
    expect(off).toContain('Why: Pruning is off for conversations like this one');
    expect(off).not.toMatch(/K = \d|K was measured/);
    await truth.watched.page.getByRole('link', { name: 'calibration', exact: true }).click();
    await truth.watched.page.getByText('Pruning is off, because recall was below the target').waitFor();
    await goTo(truth.watched.page, `requests/${truth.account.overridden.id}`);
    expect(await readMain(truth)).toContain(`K = ${overrideK}. K is set on the API key.`);
  });

  test('the calibration page names the ranking that decides K, and since when learning is measured', async () => {
    const known = findBucket('*:101-250');
    const version = await storeLearning(truth.account.person.accountId!, known.bucket);
    try {
      const path = '/v1/account/routing/calibration';
      const { buckets } = await askAs(truth, routingCalibration, path);
      const learned = buckets.find(({ bucket }) => bucket === known.bucket)!;
      expect(learned).toMatchObject({ k: known.k, learning: { used: true, k: learnedK } });
      await goTo(truth.watched.page, `routing?tab=calibration&bucket=${known.bucket}`);
      const text = await readMain(truth);
      expect(text).toContain(
        `The learned ranking decides K for new conversations, because its K is smaller. K is ${learnedK} with learning and ${known.k} without.`,
      );
      expect(text).toContain(`${longConversations} conversations measured with learning since 2026-03-04.`);
      const cells = await truth.watched.page
        .locator('section', { hasText: 'All buckets' })
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map(({ children }) => [...children].map((cell) => cell.textContent)));
      expect(cells.map((row) => [row[2], row[5], row[6]])).toContainEqual([
        ...[String(known.samples), String(learnedK), 'learned ranking'],
      ]);
    } finally {
      await inTelemetry('DELETE FROM routing_policies WHERE account_id = $1::uuid AND version = $2', [
        ...[truth.account.person.accountId!, version],
      ]);
    }
  });
});

/** The K with learning that the test stores. It is smaller than every measured K without learning. */
const learnedK = 1;

/**
 * Stores a new version of the account's policy, in which a bucket was also measured with learning, like the worker
 * stores it. Returns the version.
 */
async function storeLearning(accountId: string, bucket: string): Promise<number> {
  const learned = { from: '2026-03-04T05:06:07.000Z', isUsed: true, k: learnedK };
  const sql = `
    INSERT INTO routing_policies (account_id, version, made_at, recall_target, buckets, recovery_rate, heads)
    SELECT account_id, version + 1, now(), recall_target, (
        SELECT jsonb_agg(CASE WHEN each ->> 'bucket' = $2
          THEN each || jsonb_build_object('learned', (each - 'learned') || $3::jsonb) ELSE each END)
        FROM jsonb_array_elements(buckets) AS each
      ), recovery_rate, heads
    FROM routing_policies WHERE account_id = $1::uuid ORDER BY version DESC LIMIT 1
    RETURNING version`;
  const [row] = await inTelemetry<{ version: number }>(sql, [accountId, bucket, JSON.stringify(learned)]);
  return row!.version;
}

async function inTelemetry<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: sharedStack().dev.postgres.telemetry });
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
