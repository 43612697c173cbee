import {
  analyticsDayList,
  billing,
  keyUsageList,
  recallAlertPage,
  routingInsights,
  routingModelStatusList,
  toolHealthPage,
  usageSessionPage,
  usageSummary,
} from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import pg from 'pg';
import { readRows, savedOf, toNumber } from './figures.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { applyLook, goTo, isTooWide, settle, shoot, type Look } from './page.fixture.ts';
import { askAs, costOf, openTruth, readAll, sentBy, sum, type Truth } from './truth-page.fixture.ts';
import { longConversations, longMisses, priorRate, shortConversations, target } from './truth.fixture.ts';
import type { KnownRequest } from './truth-traffic.fixture.ts';

let truth: Truth;
beforeAll(async () => {
  truth = await openTruth();
}, 240_000);
afterAll(() => truth.close());

/** Two calls go to pruned tools, one through the recovery tool and one directly. */
const missed = 2;
/** Deletes the session's requests from the request log, like the retention job. */
async function deleteFromLog(accountId: string, session: string): Promise<void> {
  const client = new pg.Client({ connectionString: sharedStack().dev.postgres.telemetry });
  await client.connect();
  try {
    const sql = 'DELETE FROM request_log WHERE account_id = $1::uuid AND session_id = $2';
    expect((await client.query(sql, [accountId, session])).rowCount).toBe(1);
  } finally {
    await client.end();
  }
}

const sumOf = (read: (known: KnownRequest) => number) => sum(truth.account.traffic.requests.map(read));

describe('Overview', () => {
  test('the overview shows the sums of the traffic', async () => {
    const shown = await readAll(truth, 'overview?days=1');
    const { totals } = await askAs(truth, analyticsDayList, '/v1/account/usage/analytics/daily?days=1');
    const summary = await askAs(truth, usageSummary, '/v1/account/usage/summary');
    const all = [...truth.rows.values()];
    const expected = {
      Requests: truth.account.traffic.requests.length,
      Errors: 0,
      'Total tokens': sumOf(({ upstream }) =>
        sum(upstream.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)),
      ),
      'Tools received': sumOf(({ offered }) => offered.length),
      'Tools sent': sum(all.map(({ tools_out }) => tools_out)),
      'Pruned requests': truth.account.traffic.requests.filter(
        (known) => sentBy(known) < known.offered.length,
      ).length,
      'Tokens saved': sum(all.map(savedOf)),
      'Billed as saved': sum(all.map(({ net_tokens_saved }) => net_tokens_saved)),
    };
    for (const [label, value] of Object.entries(expected))
      expect({ label, value: shown.get(label)?.value }).toEqual({ label, value });
    expect(shown.get('Cost')?.value).toBeCloseTo(sumOf(costOf), 9);
    const net = sum(all.map(({ provider_savings_usd }) => provider_savings_usd));
    expect(shown.get('Net savings')?.value).toBeCloseTo(net, 9);
    for (const read of [totals!, summary]) {
      expect([read.requests, read.tools_in, read.tools_out]).toEqual([
        expected.Requests,
        expected['Tools received'],
        expected['Tools sent'],
      ]);
      expect(read.net_tokens_saved).toBe(expected['Billed as saved']);
      expect(read.provider_savings_usd).toBeCloseTo(net, 9);
    }
  });

  test('the overview shows the recall of the shadow conversations, with the target', async () => {
    const shown = await readAll(truth, 'overview?days=1');
    const conversations = longConversations + shortConversations;
    const missed = longMisses + shortConversations;
    const { totals } = await askAs(truth, analyticsDayList, '/v1/account/usage/analytics/daily?days=1');
    expect(totals!.recall).toMatchObject({ sessions: conversations, target });
    expect(shown.get('Forwarded recall')?.value).toBeCloseTo((1 - missed / conversations) * 100, 9);
    // In conversations with recovery, effective recall counts a share of the missed tools as recovered.
    // In conversations without recovery, every missed tool lowers effective recall.
    const effective = totals!.recall.effective.value!;
    expect(effective).toBeGreaterThanOrEqual(totals!.recall.value!);
    expect(effective).toBeLessThanOrEqual(1 - (missed * (1 - priorRate)) / conversations);
    expect(shown.get('Effective recall')?.value).toBeCloseTo(effective * 100, 9);
    expect(shown.get('Effective recall')?.hint).toContain(`target ${target * 100}%`);
    expect(shown.get('Forwarded recall')?.hint).toContain(`from ${conversations} shadow conversations`);
  });

  test('the overview shows the sums by model, key and session', async () => {
    await goTo(truth.watched.page, 'overview?days=1');
    for (const [label, saved] of [
      ['Usage by model', 2],
      ['Usage by key', 2],
    ] as const) {
      const shown = await readRows(truth.watched.page, label);
      expect(sum(shown.map(({ cells }) => toNumber(cells[1]!)))).toBe(truth.rows.size);
      expect(sum(shown.map(({ cells }) => toNumber(cells[saved]!)))).toBe(
        sum([...truth.rows.values()].map(savedOf)),
      );
    }
    const keys = await askAs(truth, keyUsageList, '/v1/account/usage/by-key');
    const own = keys.data.find(({ key_id }) => key_id === truth.account.overrideKeyId)!;
    expect([own.requests, own.tools_out]).toEqual([
      1,
      truth.rows.get(truth.account.overridden.id)!.tools_out,
    ]);
  });
});

test('the session list and a session’s page show the sums of the session’s requests', async () => {
  const own = truth.account.traffic.requests
    .filter(({ session }) => session === 'busy')
    .map(({ id }) => truth.rows.get(id)!);
  const saved = sum(own.map(savedOf));
  await goTo(truth.watched.page, 'sessions');
  const listed = (await readRows(truth.watched.page, 'Sessions')).find(({ key }) => key === 'busy')!;
  expect([toNumber(listed.cells[1]!), toNumber(listed.titles[5]!)]).toEqual([own.length, saved]);
  const { data } = await askAs(truth, usageSessionPage, '/v1/account/sessions?limit=500');
  expect(savedOf(data.find(({ session_id }) => session_id === 'busy')!)).toBe(saved);
  const shown = await readAll(truth, 'sessions/one?id=busy');
  expect(shown.get('Requests')?.value).toBe(own.length);
  expect(shown.get('Tokens saved')?.value).toBe(saved);
  const overview = await readAll(truth, 'overview?days=1&session_id=busy');
  for (const label of ['Tokens saved', 'Billed as saved', 'Cost', 'Net savings', 'Requests'])
    expect({ label, value: overview.get(label)?.value }).toEqual({ label, value: shown.get(label)?.value });
});

describe('recall and tool calls', () => {
  test('Insights and Models show the share of served tool calls, and do not call this share recall', async () => {
    // One request calls a pruned tool directly, and all other requests call only tools that were sent or recovered.
    const calling = truth.account.traffic.requests.filter(
      (known) => sentBy(known) < known.offered.length && known.called.length > 0,
    );
    const { best_recall } = await askAs(truth, routingInsights, '/v1/account/routing/insights');
    const served = (calling.length - 1) / calling.length;
    expect(best_recall).toMatchObject([{ tool_recall: served, samples: calling.length }]);
    await goTo(truth.watched.page, 'routing?tab=insights');
    const panel = truth.watched.page.locator('section', { hasText: 'Most tool calls served' });
    expect(await panel.locator('li').textContent()).toBe(
      `openai/gpt-4o-mini: ${Number((served * 100).toFixed(1))}%${calling.length} requests`,
    );
    const { data } = await askAs(truth, routingModelStatusList, '/v1/account/routing/models/status');
    const status = data.find(({ id }) => id === 'openai/gpt-4o-mini')!;
    expect([status.tool_recall, status.requests]).toEqual([served, truth.rows.size]);
    await goTo(truth.watched.page, 'routing?tab=models');
    const row = (await readRows(truth.watched.page, 'Models')).find(({ key }) => key === status.id)!;
    expect(row.cells.at(-1)).toBe(`${Number((served * 100).toFixed(1))}%`);
  });

  test('each recall alert names a missed tool, with a reason that fits the tool’s rank and K', async () => {
    const { deep } = truth.account;
    const { data } = await askAs(truth, recallAlertPage, '/v1/account/tools/recall-alerts?limit=500');
    const count = (by: string) => data.filter(({ detected_by }) => detected_by === by).length;
    expect([count('shadow'), count('recovery'), count('hallucinated_call')]).toEqual([
      longMisses + shortConversations,
      1,
      1,
    ]);
    await goTo(truth.watched.page, 'tool-health?tab=alerts');
    const shown = await readRows(truth.watched.page, 'Recall alerts');
    expect(shown.map(({ cells }) => cells[1])).toEqual(data.map(() => deep));
    for (const { cells } of shown) {
      const [rank, k] = [Number(cells[4]), Number(cells[5])];
      expect({ rank, k, why: cells[3] }).toEqual({
        ...{ rank, k },
        why: rank > k ? 'Its rank was below K' : 'The set was chosen on an earlier turn',
      });
    }
  });

  test('tool health counts the requests in which a tool was offered, sent, called and missed', async () => {
    const { deep, traffic } = truth.account;
    const offered = traffic.requests.length;
    const called = traffic.requests.filter((known) => known.called.includes(deep)).length;
    const { data, requests_considered } = await askAs(
      truth,
      toolHealthPage,
      '/v1/account/tools/health?limit=500',
    );
    const { stats } = data.find(({ name }) => name === deep)!;
    expect(requests_considered).toBe(offered);
    expect(stats).toMatchObject({ offered, called, called_when_pruned: missed });
    await goTo(truth.watched.page, 'tool-health');
    await truth.watched.page.getByLabel('Find a tool by name').fill(deep);
    await settle(truth.watched.page);
    const row = (await readRows(truth.watched.page, 'Tools')).find(({ key }) => key === deep)!;
    expect(row.cells.slice(3, 6).map(toNumber)).toEqual([offered, stats.forwarded, called]);
    const shown = await readAll(truth, `tool-health/one?name=${deep}`);
    expect([shown.get('Offered')?.value, shown.get('Called')?.value, shown.get('Missed')?.value]).toEqual([
      ...[offered, called, missed],
    ]);
  });
});

test('the billing page shows the billing units that the log shows', async () => {
  const net = sum([...truth.rows.values()].map(({ net_tokens_saved }) => net_tokens_saved));
  const { period } = await eventually(async () => {
    const read = await askAs(truth, billing, '/v1/account/billing');
    return read.period.net_tokens_saved === net ? read : undefined;
  }, 60_000);
  const shown = await readAll(truth, 'billing');
  expect(shown.get('Billed as saved')?.value).toBe(net);
  expect(shown.get('Recovery rounds')?.value).toBe(period.recovery_tokens_deducted);
});

test('the saved tokens in the playground are the difference between the two columns', async () => {
  const { page } = truth.watched;
  truth.account.traffic.answerAll({ text: 'There are none.' });
  await goTo(page, 'playground');
  await page.getByRole('switch', { name: 'Compare with all tools' }).click();
  await page.getByRole('button', { name: 'Use 40 example tools' }).click();
  await page.getByRole('form', { name: 'Next message' }).getByRole('textbox').fill('List my invoices of May');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('list', { name: 'Highest-ranked tools' }).nth(1).waitFor();
  const [pruned, full] = await page
    .getByRole('complementary', { name: 'Plan of the last request' })
    .evaluateAll((cards) =>
      cards.map((card) =>
        Object.fromEntries(
          [...card.querySelectorAll('dt')].map((term) => [
            term.textContent,
            [...(term.nextElementSibling?.querySelectorAll('[title]') ?? [])].map(
              (each) => each.getAttribute('title') ?? '',
            ),
          ]),
        ),
      ),
    );
  const read = (card: Record<string, string[]> | undefined, term: string, at = 0) =>
    toNumber(card?.[term]?.[at] ?? '');
  const difference = read(full, 'Tokens', 1) - read(pruned, 'Tokens', 1);
  const saved = read(pruned, 'Tokens saved') - read(full, 'Tokens saved');
  expect(saved / difference).toBeGreaterThan(0.95);
  expect(saved / difference).toBeLessThan(1.05);
});

const looks: readonly Look[] = (['light', 'dark'] as const).flatMap((scheme) => [
  { scheme, width: 1440 },
  { scheme, width: 390 },
]);

test.each([
  ['overview', () => 'overview?days=1'],
  ['calibration', () => 'routing?tab=calibration'],
  ['insights', () => 'routing?tab=insights'],
  ['request-pruned', () => `requests/${truth.account.recovered.id}`],
  ['request-off', () => `requests/${truth.account.off.id}`],
  ['alerts', () => 'tool-health?tab=alerts'],
  ['requests', () => 'requests'],
  ['billing', () => 'billing'],
])('%s shows its figures at 1440 and 390 px, light and dark', async (name, path) => {
  const { page } = truth.watched;
  await goTo(page, path());
  for (const look of looks) {
    await applyLook(page, look);
    await shoot(page, `truth-${name}`, look);
    expect({ look, isTooWide: await isTooWide(page) }).toEqual({ look, isTooWide: false });
  }
  await applyLook(page, { scheme: 'light', width: 1600 });
});

test('figures that need deleted requests are shown as unknown, and sums do not change', async () => {
  const before = await readAll(truth, 'overview?days=1');
  await deleteFromLog(truth.account.person.accountId!, 'streamed');
  const after = await readAll(truth, 'overview?days=1');
  for (const label of [
    'Requests',
    'Tokens saved',
    'Billed as saved',
    'Cost',
    'Net savings',
    'Tools sent',
    'Pruned requests',
  ])
    expect({ label, text: after.get(label)?.text }).toEqual({ label, text: before.get(label)?.text });
  for (const label of ['Time to first byte', 'Total time', 'Gateway overhead'])
    expect({ label, text: after.get(label)?.text }).toEqual({
      label,
      text: expect.stringMatching(/^–/) as string,
    });
  await truth.watched.page.getByText('Some requests of this period are no longer in the log').waitFor();
  const filtered = await readAll(truth, 'overview?days=1&model=openai/gpt-4o-mini');
  for (const label of ['Requests', 'Tokens saved', 'Tools sent'])
    expect({ label, text: filtered.get(label)?.text }).toEqual({
      label,
      text: expect.stringMatching(/^–/) as string,
    });
});

test('no page of this test causes console errors, calls to other hosts or Content-Security-Policy violations', () => {
  expect(truth.watched.faults).toEqual([]);
});
