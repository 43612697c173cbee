import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import type { Browser, Page, Route } from 'playwright-core';
import { createTestKey } from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';

const { baseUrl } = sharedStack();

let browser: Browser;
let person: TestPerson;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  person = await signUpPerson(baseUrl);
  watched = await openPage(browser, { scheme: 'light', width: 1600 });
  await signIn(watched, person);
  page = watched.page;
});
afterEach(() => watched.close());

const entryOf = (at: number) => ({
  ...{ id: `01a1fcbe-03d7-7463-b813-${String(at).padStart(12, '0')}`, created_at: new Date().toISOString() },
  ...{ status: 'ok', provider: 'openai', model: `model-${at}`, requested_model: null, session_id: null },
  ...{ tools_in: 0, tools_out: 0, total_tokens: 1, cost_usd: null, ms: { total: 1 } },
  ...{ estimated_tokens_saved: 0, compression_tokens_saved: 0 },
});

/** Sends the browser one page of a request log that has `total` requests. */
async function fulfillPage(route: Route, total: number): Promise<void> {
  const query = new URL(route.request().url()).searchParams;
  const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
  const length = Math.max(0, Math.min(limit, total - offset));
  const data = Array.from({ length }, (_, at) => entryOf(offset + at));
  await route.fulfill({ json: { object: 'list', data, total, limit, offset } });
}

const unavailable = {
  status: 400,
  json: { error: { message: 'Not now.', type: 'invalid_request_error', code: 'not_now', param: null } },
};

test('a request log that reaches the counting limit indicates that there may be more requests', async () => {
  await page.route('**/v1/account/requests?*', (route) => fulfillPage(route, 100_000));
  await goTo(page, 'requests');
  await page.getByRole('status').getByText('at least 100,000 requests').waitFor();
});

test('a log page that fails with a client error is requested once, and again when the user clicks Try again', async () => {
  let calls = 0;
  await page.route('**/v1/account/requests?*', async (route) => {
    const isFirst = new URL(route.request().url()).searchParams.get('offset') === '0';
    if (!isFirst) calls += 1;
    await (isFirst || calls > 1 ? fulfillPage(route, 150) : route.fulfill(unavailable));
  });
  await goTo(page, 'requests');
  await page.getByRole('region', { name: 'Requests' }).focus();
  await page.keyboard.press('End');
  await page.getByRole('alert').getByText('Not now.').waitFor();
  expect(calls).toBe(1);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Requests' }).focus();
  // The alert disappears before the page renders the new rows, so the list may still grow.
  await eventually(async () => {
    await page.keyboard.press('End');
    return (await page.getByText('model-149').isVisible()) || undefined;
  });
});

test('relative times are correct on a page that is still open an hour later', async () => {
  const expires_at = new Date(Date.now() + 1_800_000).toISOString();
  await createTestKey(baseUrl, person.accessToken, { name: 'brief', expires_at });
  await page.clock.install();
  await goTo(page, 'playground');
  await page.clock.fastForward(3_600_000);
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByText('brief').waitFor();
  await page.getByText('expired', { exact: true }).waitFor({ timeout: 5_000 });
});

test('a model switch keeps its new state even if an older response arrives late', async () => {
  await goTo(page, 'routing?tab=models');
  const [asked, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  await page.route('**/v1/account/routing/models/status', async (route) => {
    const before = await route.fetch();
    asked.resolve(undefined);
    await answer.promise;
    await route.fulfill({ response: before });
  });
  const control = page.getByRole('switch', { name: /^sandbox\/sandbox-1: enabled/ });
  await page.clock.install();
  await page.clock.fastForward(60_000);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await asked.promise;
  await control.click({ force: true });
  await page.getByRole('status').getByText('is disabled for automatic routing').waitFor();
  const came = page.waitForResponse('**/v1/account/routing/models/status');
  answer.resolve(undefined);
  await came;
  await page.waitForTimeout(300);
  expect(await control.isChecked()).toBe(false);
});

test('an empty allow list stays empty when only the denied tools change', async () => {
  const { id } = await createTestKey(baseUrl, person.accessToken, { name: 'bound' });
  const path = `/v1/account/keys/${id}/toollist`;
  await send(baseUrl, { method: 'PUT', path, key: person.accessToken, body: { allowed_tools: [] } });
  await goTo(page, 'keys');
  await page.getByRole('button', { name: 'Actions for bound' }).click();
  await page.getByRole('menuitem', { name: 'Allowed and denied tools' }).click();
  await page.getByRole('textbox', { name: 'Denied tools' }).fill('drop_table');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByRole('status')
    .getByText(/Tool lists/)
    .waitFor();
  await page.getByText('0 allowed, 1 denied').waitFor();
});

test('the page submits a wrong current password only once', async () => {
  const calls: string[] = [];
  page.on('request', (request) => calls.push(new URL(request.url()).pathname));
  await goTo(page, 'account');
  await page.getByRole('textbox', { name: 'Current password' }).fill('not the password');
  await page.getByRole('textbox', { name: 'New password' }).fill('another long sentence is fine');
  calls.length = 0;
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('alert').getByText('invalid_credentials').waitFor();
  expect(calls).toEqual(['/v1/auth/change-password']);
});

test('a checkout that fails to apply can be retried; a successful checkout is reported and removed from the URL', async () => {
  let calls = 0;
  await page.route('**/v1/billing/sync-checkout', (route) =>
    route.fulfill((calls += 1) === 1 ? unavailable : { json: { object: 'billing' } }),
  );
  await goTo(page, 'billing?checkout=cs_test_1');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('status').getByText('The subscription is active.').waitFor();
  await page.waitForURL((url) => url.search === '');
});

test('an ended subscription shows no renewal date', async () => {
  const times = { current_period_start: '2026-10-01T00:00:00Z', current_period_end: '2026-11-01T00:00:00Z' };
  await page.route('**/v1/account/billing', async (route) => {
    const response = await route.fetch();
    const subscription = { status: 'canceled', plan_id: null, cancel_at_period_end: false, ...times };
    const billing = (await response.json()) as object;
    await route.fulfill({ response, json: { ...billing, mode: 'stripe', subscription } });
  });
  await goTo(page, 'billing');
  await page.getByText('The subscription has ended').waitFor();
  expect(await page.getByText('Renews on').count()).toBe(0);
});

test('an unknown deletion receipt is requested only once', async () => {
  let calls = 0;
  page.on('request', (request) => (calls += Number(request.url().includes('/v1/account/deletions/'))));
  await page.goto('/dashboard/deleted/nothing');
  await page.getByRole('alert').getByText('not_found').waitFor();
  await page.waitForTimeout(2_500);
  expect(calls).toBe(1);
});

test('a dialog stays open while a key is being created, and then shows the key’s secret', async () => {
  const [asked, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  await page.route('**/v1/account/keys', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const made = await route.fetch();
    asked.resolve(undefined);
    await answer.promise;
    return route.fulfill({ response: made });
  });
  await goTo(page, 'keys');
  await page.getByRole('button', { name: 'New key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('slow');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await asked.promise;
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  answer.resolve(undefined);
  expect(await page.getByTestId('secret').textContent()).toMatch(/\w{20}/);
});
