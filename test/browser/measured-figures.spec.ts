import {
  analyticsDayList,
  keyUsageList,
  requestDetail,
  requestLogPage,
  usageSessionPage,
  type AnalyticsTotals,
} from '@gateway/contracts';
import { callFor } from '../e2e/governance.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import type { Browser } from 'playwright-core';
import { readFigures, readRows, savedOf, toNumber, type ShownFigure } from './figures.fixture.ts';
import { openMeasuredAccount, type MeasuredAccount } from './measured.fixture.ts';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';

let browser: Browser;
let account: MeasuredAccount;
let watched: WatchedPage;

beforeAll(async () => {
  [browser, account] = await Promise.all([connectBrowser(), openMeasuredAccount()]);
  watched = await openPage(browser, { width: 1600, scheme: 'light' });
  await signIn(watched, account.person);
}, 120_000);
afterAll(async () => {
  await watched.close();
  await Promise.all([browser.close(), account.provider.close()]);
});

const ask = <Schema extends Parameters<typeof callFor>[0]>(schema: Schema, path: string) =>
  callFor(schema, 200, { path, key: account.person.accessToken });
const readTotals = async (query: string): Promise<AnalyticsTotals> => {
  const { totals } = await ask(analyticsDayList, `/v1/account/usage/analytics/daily?${query}`);
  return totals!;
};

function expectFigures(
  shown: ReadonlyMap<string, ShownFigure>,
  expected: Record<string, number | null>,
): void {
  for (const [label, value] of Object.entries(expected)) {
    const figure = shown.get(label);
    if (value === null)
      expect({ label, text: figure?.text }).toEqual({ label, text: expect.stringMatching(/^–|not/) });
    else expect({ label, value: figure?.value }).toEqual({ label, value: expect.closeTo(value, 6) });
  }
}

function overviewFigures(totals: AnalyticsTotals): Record<string, number | null> {
  return {
    'Tokens saved': savedOf(totals),
    'Billed as saved': totals.net_tokens_saved,
    'Gross savings': totals.gross_savings_usd,
    'Net savings': totals.provider_savings_usd,
    Cost: totals.cost_usd,
    Requests: totals.requests,
    Errors: totals.errors,
    'Time to first byte': totals.first_byte_p50_ms,
    'Total time': totals.total_p50_ms,
    'Gateway overhead': totals.overhead_p50_ms,
    'Total tokens': totals.total_tokens,
    'Tools received': totals.tools_in,
    'Tools sent': totals.tools_out,
    'Pruned requests': totals.pruned_requests,
    Recall: totals.recall.value,
  };
}

describe('the overview', () => {
  test('the overview shows the figures of the API, in total and filtered by model, session and key', async () => {
    const queries = ['', '&model=openai/gpt-4o-mini', '&session_id=ticket-1', `&key_id=${account.keyId}`];
    for (const query of queries) {
      await goTo(watched.page, `overview?days=30${query}`);
      const totals = await readTotals(`days=30${query}`);
      const shown = await readFigures(watched.page);
      expectFigures(shown, overviewFigures(totals));
      expect(shown.size).toBe(15);
      expect(shown.get('Tokens saved')?.hint).toContain(
        `${totals.tool_tokens_saved!.toLocaleString('en-GB')} tokens by pruning`,
      );
      expect(shown.get('Requests')?.hint).toContain(String(totals.sessions));
    }
    expect((await readTotals('days=30')).requests).toBe(account.rows.length);
  });

  test('the overview shows the figures of the API by model, key and session', async () => {
    await goTo(watched.page, 'overview?days=30');
    const { totals, from, to } = await ask(analyticsDayList, '/v1/account/usage/analytics/daily?days=30');
    const keys = await ask(keyUsageList, `/v1/account/usage/by-key?from=${from}&to=${to}`);
    const sessions = await ask(usageSessionPage, `/v1/account/sessions?from=${from}`);
    const tables = [
      ['Usage by model', totals!.models!.map((row) => ({ name: `${row.provider}/${row.model}`, ...row })), 1],
      ['Usage by key', keys.data.map((row) => ({ ...row, name: row.name ?? '' })), 1],
      ['Usage by session', sessions.data.map((row) => ({ ...row, name: row.session_id })), 1],
    ] as const;
    for (const [label, rows, first] of tables) {
      const shown = await readRows(watched.page, label);
      // The second line of a session is the time of its last request.
      const names = shown.map(({ key, cells }) => (label === 'Usage by session' ? key : cells[0]));
      expect(names).toEqual(rows.map(({ name }) => name));
      for (const [at, { cells, titles }] of shown.entries()) {
        const row = rows[at]!;
        expect(cells[0]).toContain(row.name);
        expect(toNumber(cells[first]!)).toBe(row.requests);
        expect(toNumber(cells[first + 1]!)).toBe(savedOf(row));
        expect(toNumber(titles[first + 2]!)).toBeCloseTo(row.cost_usd ?? NaN, 9);
      }
    }
  });
});

describe('the request log', () => {
  const columns = { status: 1, model: 2, cost: 3, ms: 4, saved: 5, tokens: 6, tools: 7 };

  test('the request log shows the figures of the API in each row', async () => {
    await goTo(watched.page, 'requests');
    const { data } = await ask(requestLogPage, '/v1/account/requests?limit=100');
    const shown = await readRows(watched.page, 'Requests');
    expect(shown.map(({ key }) => key)).toEqual(data.map(({ id }) => id));
    for (const [at, { cells, titles }] of shown.entries()) {
      const row = data[at]!;
      const code = row.error_code === null ? '' : ` ${row.http_status}${row.error_code}`;
      expect(cells[columns.status]).toBe(`${row.status}${code}`);
      const model = row.model === null ? row.requested_model : `${row.provider}/${row.model}`;
      expect(cells[columns.model]).toBe(`${model}${row.session_id ?? ''}`);
      expect(cells[0]).toContain('agent');
      if (row.tools_in > 0) expect(cells[columns.tools]).toBe(`${row.tools_out} / ${row.tools_in}`);
      if (row.total_tokens !== null) expect(toNumber(titles[columns.tokens]!)).toBe(row.total_tokens);
      expect(toNumber(titles[columns.saved]!)).toBe(savedOf(row));
      if (row.cost_usd !== null) expect(toNumber(titles[columns.cost]!)).toBeCloseTo(row.cost_usd, 9);
      expect(toNumber(titles[columns.ms]!)).toBeCloseTo(row.ms.total, 6);
    }
  });

  test('the request log can be filtered through the URL and the filter fields', async () => {
    const ofSession = (id: string) => account.rows.filter(({ session_id }) => session_id === id);
    const expectRows = (rows: readonly { readonly id: string }[]) =>
      eventually(async () => {
        const shown = (await readRows(watched.page, 'Requests')).map(({ key }) => key);
        return shown.join() === rows.map(({ id }) => id).join() ? shown : undefined;
      });
    await goTo(watched.page, 'requests?session_id=ticket-1');
    await expectRows(ofSession('ticket-1'));
    await watched.page.getByLabel('Session').fill('ticket-2');
    await watched.page.waitForURL(/ticket-2/);
    await expectRows(ofSession('ticket-2'));
    await watched.page.getByRole('button', { name: 'Clear', exact: true }).click();
    await watched.page.waitForURL((url) => url.search === '');
    await expectRows(account.rows);
  });

  test('the request page shows a request’s figures and the decision about every ranked tool', async () => {
    const { id } = account.rows.find(({ tools_in, tools_out }) => tools_out < tools_in)!;
    const detail = await ask(requestDetail, `/v1/account/requests/${id}`);
    await goTo(watched.page, `requests/${id}`);
    expectFigures(await readFigures(watched.page), {
      Duration: detail.ms.total,
      'Gateway overhead': detail.ms.overhead,
      'Tools sent': detail.tools_out,
      Tokens: detail.total_tokens,
      'From the prompt cache': detail.cached_tokens,
      'Tokens saved': savedOf(detail),
      'Billed as saved': detail.net_tokens_saved,
      Cost: detail.cost_usd,
      'Net savings': detail.provider_savings_usd,
    });
    const candidates = await readRows(watched.page, 'Candidate tools');
    expect(candidates.length).toBeGreaterThan(5);
    for (const { cells } of candidates) {
      const candidate = detail.trace.candidates.find(({ rank }) => rank === Number(cells[0]))!;
      expect(cells[1]).toBe(candidate.name);
      expect(Number(cells[2])).toBe(Number(candidate.score.toPrecision(3)));
      expect(cells[3]).toContain(candidate.forwarded ? 'forwarded' : 'pruned');
      expect(cells[4]).toBe(candidate.called ? 'called' : 'no');
    }
    await watched.page.getByText('Pruned', { exact: true }).click();
    const prunedCount = detail.trace.candidates.filter(({ forwarded }) => !forwarded).length;
    await watched.page.getByText(`${prunedCount} tools`, { exact: true }).waitFor();
    const curl = await watched.page.getByRole('region', { name: 'Request as a curl command' }).textContent();
    expect(curl).toContain('/v1/chat/completions');
    expect(await watched.page.locator('body').textContent()).toContain(detail.trace_id);
  });
});

describe('the session list', () => {
  test('the session list shows the figures of the API in each row', async () => {
    await goTo(watched.page, 'sessions');
    const { data } = await ask(usageSessionPage, '/v1/account/sessions');
    const shown = await readRows(watched.page, 'Sessions');
    expect(shown.map(({ key }) => key)).toEqual(data.map(({ session_id }) => session_id));
    for (const [at, { cells, titles }] of shown.entries()) {
      const row = data[at]!;
      expect(cells[0]).toMatch(`${row.session_id}last request`);
      expect(toNumber(cells[1]!)).toBe(row.requests);
      expect(cells[2]).toBe(row.models.join(', '));
      expect(toNumber(titles[4]!)).toBe(row.total_tokens);
      expect(toNumber(titles[5]!)).toBe(savedOf(row));
      expect(toNumber(titles[6]!)).toBeCloseTo(row.cost_usd ?? NaN, 9);
      expect(toNumber(titles[7]!)).toBeCloseTo(row.provider_savings_usd ?? NaN, 9);
    }
  });

  test('the session page shows a session’s figures, its requests in order, and its tool set', async () => {
    await goTo(watched.page, 'sessions/one?id=ticket-1');
    const totals = await readTotals('days=366&session_id=ticket-1');
    expectFigures(await readFigures(watched.page), {
      Requests: totals.requests,
      'Median total time': totals.total_p50_ms,
      'Tokens saved': savedOf(totals),
      'Billed as saved': totals.net_tokens_saved,
      Cost: totals.cost_usd,
      'Net savings': totals.provider_savings_usd,
    });
    const own = account.rows.filter(({ session_id }) => session_id === 'ticket-1').toReversed();
    const shown = await readRows(watched.page, 'Requests of the session');
    expect(shown.map(({ key }) => key)).toEqual(own.map(({ id }) => id));
    const first = await ask(requestDetail, `/v1/account/requests/${own[0]!.id}`);
    const growth = await watched.page.getByText('Chosen:').locator('..').textContent();
    for (const name of first.forwarded_tools) expect(growth).toContain(name);
  });
});

test('no page of this test causes console errors, calls to other hosts or Content-Security-Policy violations', () => {
  expect(watched.faults).toEqual([]);
});
