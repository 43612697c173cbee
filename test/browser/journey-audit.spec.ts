import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { createTestKey } from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { connectBrowser, goTo, isTooWide, openPage, signIn, type WatchedPage } from './page.fixture.ts';

const { baseUrl } = sharedStack();
let browser: Browser;
let person: TestPerson;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  browser = await connectBrowser();
  person = await signUpPerson(baseUrl);
  const { id } = await createTestKey(baseUrl, person.accessToken, { name: 'Build agent' });
  const path = `/v1/account/keys/${id}`;
  const body = { rate_limit_rpm: 60 };
  expect((await send(baseUrl, { method: 'PATCH', path, key: person.accessToken, body })).status).toBe(200);
  watched = await openPage(browser, { scheme: 'light', width: 1600 });
  await signIn(watched, person);
  page = watched.page;
});
afterAll(async () => {
  await watched.close();
  await browser.close();
});
afterEach(() => expect(watched.faults).toEqual([]));

const rowWith = (text: string) => page.getByRole('row').filter({ hasText: text });

test('the audit log shows the author, content, time and client address of each change', async () => {
  await goTo(page, 'overview');
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  const changed = rowWith('Key changed');
  await changed.waitFor();
  const text = await changed.innerText();
  for (const part of [person.email, 'Build agent', 'rate_limit_rpm', '60', '127.0.0.1'])
    expect(text).toContain(part);
  expect(await changed.locator('time').getAttribute('datetime')).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  await rowWith('Account registered').waitFor();
});

test('the URL contains the audit log’s filters, and an empty result has a button that clears the filters', async () => {
  await goTo(page, 'audit?action=key.created');
  await rowWith('Key created').waitFor();
  expect(await rowWith('Key changed').count()).toBe(0);
  await page.getByLabel('Who', { exact: true }).fill('nobody@example.com');
  await page.waitForURL(/actor=nobody/);
  await page.getByText('No matching events').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL((url) => url.search === '');
  await rowWith('Key changed').waitFor();
});

test('an export of the audit log is an audit event that appears after a refresh', async () => {
  await goTo(page, 'audit');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  expect((await downloading).suggestedFilename()).toBe('audit.csv');
  await page.getByText('Audit log downloaded.').waitFor();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await rowWith('Audit log exported').waitFor();
});

test('the audit page fits a screen of 360 pixels', async () => {
  await page.setViewportSize({ width: 360, height: 780 });
  await goTo(page, 'audit');
  await rowWith('Key changed').waitFor();
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 1600, height: 900 });
});
