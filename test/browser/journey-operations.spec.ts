/** The pages with which users find requests, tools, keys and providers that need attention. */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyticsDayList, requestDetail } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { requestIdOf } from '../e2e/account.fixture.ts';
import { callFor } from '../e2e/governance.fixture.ts';
import { postChat } from '../e2e/http.fixture.ts';
import { plainAnswer } from '../e2e/provider.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { readRows, toNumber } from './figures.fixture.ts';
import { openMeasuredAccount, waitForLog, type MeasuredAccount } from './measured.fixture.ts';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';

const { baseUrl } = sharedStack();
let browser: Browser;
let account: MeasuredAccount;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, account] = await Promise.all([connectBrowser(), openMeasuredAccount()]);
  watched = await openPage(browser, { scheme: 'light', width: 1440 });
  await signIn(watched, account.person);
  page = watched.page;
}, 120_000);
afterAll(async () => {
  await watched.close();
  await Promise.all([browser.close(), account.provider.close()]);
});
afterEach(() => expect(watched.faults).toEqual([]));

const failed = () => account.rows.find(({ status }) => status === 'error')!;
const shownIds = async () => (await readRows(page, 'Requests')).map(({ key }) => key);
const untilShown = (ids: readonly string[]) =>
  eventually(async () => ((await shownIds()).join() === ids.join() ? true : undefined), 15_000);
const isInView = async (cell: Locator, frame: Locator): Promise<boolean> => {
  const [inner, outer] = await Promise.all([cell.boundingBox(), frame.boundingBox()]);
  return inner !== null && outer !== null && inner.x + inner.width <= outer.x + outer.width + 1;
};

/** A tool that the model called in some of the requests, and the ids of these requests, newest first. */
async function findCalledTool(): Promise<{ tool: string; ids: string[] }> {
  const details = await Promise.all(
    account.rows.map(({ id }) =>
      callFor(requestDetail, 200, { path: `/v1/account/requests/${id}`, key: account.person.accessToken }),
    ),
  );
  const usedBy = (detail: (typeof details)[number]) => [...detail.called_tools, ...detail.recovered_tools];
  const [tool = ''] = details.flatMap(usedBy);
  return { tool, ids: details.filter((detail) => usedBy(detail).includes(tool)).map(({ id }) => id) };
}

describe('the request log', () => {
  test('cost and duration, and the code and key of each request are in view at 1440 px', async () => {
    await goTo(page, 'requests');
    const frame = page.getByRole('region', { name: 'Requests' });
    for (const name of ['Cost', 'Duration', 'Tokens saved', 'Tools sent'])
      expect([name, await isInView(page.getByRole('columnheader', { name }), frame)]).toEqual([name, true]);
    const row = page.locator(`[data-key="${failed().id}"]`);
    expect(await row.innerText()).toMatch(/agent\s+error\s+400\s+provider_not_connected/);
  });

  test.each([
    ['a part of the error', () => 'NOT_connected', () => [failed().id]],
    ['a request id', () => account.rows[2]!.id, () => [account.rows[2]!.id]],
    [
      'a part of the session id',
      () => 'icket-1',
      () => account.rows.filter(({ session_id }) => session_id === 'ticket-1').map(({ id }) => id),
    ],
  ])('a search finds requests by %s', async (_, text, ids) => {
    await goTo(page, 'requests');
    await page.getByLabel('Search', { exact: true }).fill(text());
    await page.waitForURL(/search=/);
    await untilShown(ids());
  });

  test('a search finds requests by the name of a called tool', async () => {
    const { tool, ids } = await findCalledTool();
    await goTo(page, `requests?search=${tool}`);
    await untilShown(ids);
  });

  test('a click on a header sorts all requests by cost or duration', async () => {
    await goTo(page, 'requests');
    const header = (name: string) => page.getByRole('columnheader', { name }).getByRole('button', { name });
    await header('Duration').click();
    await page.waitForURL(/sort=duration/);
    const byDuration = account.rows.toSorted((one, other) => other.ms.total - one.ms.total);
    await untilShown(byDuration.map(({ id }) => id));
    await header('Duration').click();
    await page.waitForURL(/order=asc/);
    await untilShown(byDuration.toReversed().map(({ id }) => id));
    await header('Cost').click();
    await page.waitForURL(/sort=cost_usd/);
    const costs = await eventually(async () => {
      const rows = await readRows(page, 'Requests');
      const shown = rows.map(({ titles }) => toNumber(titles[3] ?? ''));
      const known = shown.filter((value) => !Number.isNaN(value));
      return known.join() === known.toSorted((one, other) => other - one).join() ? shown : undefined;
    });
    // A request without a cost comes last.
    expect(Number.isNaN(costs.at(-1)!)).toBe(true);
  });

  test('filters can be saved, applied and exported as JSON lines', async () => {
    await goTo(page, 'requests?status=error');
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    await goTo(page, 'requests');
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('menuitem', { name: 'status error' }).click();
    await page.waitForURL(/status=error/);
    await untilShown([failed().id]);
    await page.getByRole('button', { name: 'Export' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /JSON lines/ }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('requests.jsonl');
    const path = join(tmpdir(), `requests-${account.keyId}.jsonl`);
    await file.saveAs(path);
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    rmSync(path);
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual([failed().id]);
  });

  test('with the switch Live, a new request appears without a click', async () => {
    await goTo(page, 'requests?model=openai/gpt-4o-mini');
    await page.getByRole('switch', { name: 'Live' }).click();
    account.provider.enqueue(null, plainAnswer);
    const messages = [{ role: 'user', content: 'hello' }];
    const answer = await postChat(baseUrl, account.key, { model: 'openai/gpt-4o-mini', messages });
    await page.locator(`[data-key="${requestIdOf(answer)}"]`).waitFor({ timeout: 20_000 });
    await waitForLog(account.key, account.rows.length + 1);
  });

  test('a live list adds a request that ends late, and loads no page again', async () => {
    const end = Promise.withResolvers<undefined>();
    account.provider.enqueue(null, { ...plainAnswer, firstByteAfter: end.promise });
    const messages = [{ role: 'user', content: 'hello' }];
    const answer = postChat(baseUrl, account.key, { model: 'openai/gpt-4o-mini', messages });
    const arrived = account.provider.requests.length + 1;
    await eventually(() => Promise.resolve(account.provider.requests.length >= arrived || undefined));
    await goTo(page, 'requests?model=openai/gpt-4o-mini');
    const before = await shownIds();
    await page.getByRole('switch', { name: 'Live' }).click();
    const ranges: (string | null)[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/v1/account/requests') ranges.push(url.searchParams.get('from'));
    });
    end.resolve(undefined);
    const id = requestIdOf(await answer);
    await page.locator(`[data-key="${id}"]`).waitFor({ timeout: 30_000 });
    expect(await shownIds()).toEqual([id, ...before]);
    expect(ranges.length).toBeGreaterThan(0);
    expect(ranges).not.toContain(null);
    await page.getByRole('switch', { name: 'Live' }).click();
    await waitForLog(account.key, account.rows.length + 2);
    expect(await shownIds()).toEqual([id, ...before]);
    await expect(page.getByRole('button', { name: /new request/ }).count()).resolves.toBe(0);
  });

  test('the page of a failed request shows the cause and what to do', async () => {
    await goTo(page, `requests/${failed().id}`);
    await page.getByText('What to do', { exact: true }).waitFor();
    await page.getByText(/^Call PUT \/v1\/account\/providers with the provider/).waitFor();
    await page.getByText(/^The account has no credential for the model.s provider\./).waitFor();
  });
});

describe('other lists', () => {
  test('routing decisions can be filtered by the called tool', async () => {
    await goTo(page, 'routing?tab=traces');
    const traces = page.getByRole('listitem').filter({ has: page.locator('time') });
    await traces.first().waitFor();
    const { tool, ids } = await findCalledTool();
    await page.getByLabel('Called tool', { exact: true }).fill(tool);
    await page.waitForURL(/tool=/);
    await eventually(async () => ((await traces.count()) === ids.length ? true : undefined), 15_000);
    await page.getByLabel('Called tool', { exact: true }).fill('no_such_tool');
    await page.getByText('No matching decisions').waitFor();
  });

  test('tool health starts with the tools that need attention', async () => {
    await goTo(page, 'tool-health');
    const missed = async () => (await readRows(page, 'Tools')).map(({ cells }) => toNumber(cells[7]!));
    const worst = await missed();
    expect(worst[0]).toBe(Math.max(...worst));
    await page.getByRole('columnheader', { name: 'Tool', exact: true }).getByRole('button').click();
    await page.getByRole('button', { name: 'Worst first' }).click();
    expect(await missed()).toEqual(worst);
  });

  test('keys show their requests, spend and remaining budget', async () => {
    await goTo(page, 'keys');
    await eventually(async () => {
      const [text = ''] = await page.getByText(/^[\d,]+ requests$/).allTextContents();
      return toNumber(text) >= account.rows.length ? true : undefined;
    });
    const [row] = await readRows(page, 'API keys');
    expect(toNumber(row!.titles[1]!)).toBeGreaterThan(0);
    expect(row!.cells[2]).toMatch(/^[\d.]+[km]? of 5m/i);
  });

  test('the charts of one day have a step for each hour until now', async () => {
    await goTo(page, 'overview?days=1');
    await page.getByText('Requests as a table').click();
    const rows = page.getByRole('row').filter({ hasText: /^\d\d:00 UTC/ });
    const hours = new Date().getUTCHours() + 1;
    await eventually(async () => ((await rows.count()) >= hours ? true : undefined));
    const shown = await rows.evaluateAll((all) =>
      all.map(({ children }) => [...children].map((c) => c.textContent)),
    );
    const path = '/v1/account/usage/analytics/daily?days=1&interval=hour';
    const { hours: known } = await callFor(analyticsDayList, 200, { path, key: account.person.accessToken });
    expect(shown.map(([, ok = '', errors = '']) => toNumber(ok) + toNumber(errors))).toEqual(
      known!.map(({ requests }) => requests),
    );
  });
});

test('Ctrl+K opens a list of pages, and searches the requests', async () => {
  await goTo(page, 'overview');
  const field = page.getByRole('combobox', { name: 'Find a page or a request' });
  await page.keyboard.press('Control+K');
  await field.fill('prov');
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Providers', level: 1 }).waitFor();
  await field.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+K');
  await field.fill('not_connected');
  await page.getByRole('option', { name: 'Search requests for “not_connected”' }).click();
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
  await untilShown([failed().id]);
});

test('/login and /dashboard/login open the sign-in page', async () => {
  const stranger = await openPage(browser, { scheme: 'light', width: 1440 });
  for (const path of ['/login', '/dashboard/login']) {
    await stranger.page.goto(path);
    await stranger.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(stranger.page.url()).pathname).toBe('/dashboard/sign-in');
  }
  expect(stranger.faults).toEqual([]);
  await stranger.close();
});
