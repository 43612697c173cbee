import { sharedStack, signUpPerson } from '@gateway/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { eventually } from '../integration/stack.fixture.ts';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';

let browser: Browser;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  browser = await connectBrowser();
  watched = await openPage(browser, { scheme: 'light', width: 1600 });
  await signIn(watched, await signUpPerson(sharedStack().baseUrl));
  page = watched.page;
});
afterAll(async () => {
  await watched.close();
  await browser.close();
});
afterEach(() => expect(watched.faults).toEqual([]));

const hasFocus = (name: string) =>
  eventually(
    async () =>
      (await page.evaluate((wanted) => document.activeElement?.tagName === wanted, name)) || undefined,
    10_000,
  );
const hasText = (field: Locator, text: string) =>
  eventually(async () => (await field.inputValue()) === text || undefined, 10_000);

describe('keyboard focus and typed filters', () => {
  test('a text filter keeps keyboard focus while the user types with pauses', async () => {
    await goTo(page, 'requests');
    const field = page.getByLabel('Model', { exact: true });
    await field.focus();
    await page.keyboard.type('open');
    await page.waitForURL(/model=open$/);
    await page.keyboard.type('ai');
    await page.waitForURL(/model=openai$/);
    await hasText(field, 'openai');
  });

  test('a time filter keeps keyboard focus while the user types a year digit by digit', async () => {
    await goTo(page, 'requests?from=2025-11-20T09:30:00.000Z');
    const field = page.getByLabel('From', { exact: true });
    await field.focus();
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key);
    for (const [digit, year] of ['2', '0', '2', '6'].map((each, at) => [each, '2026'.slice(0, at + 1)])) {
      await page.keyboard.press(digit!);
      await page.waitForURL((url) => url.search.includes(`from=${year!.padStart(4, '0')}-11-20`));
    }
    await hasText(field, '2026-11-20T10:30');
  });

  test('a filter field is updated when the URL changes, if the user did not change the field', async () => {
    await goTo(page, 'requests?status=ok');
    const field = page.getByLabel('Session', { exact: true });
    await field.focus();
    await page.keyboard.type('one ');
    await page.waitForURL(/session_id=one$/);
    await page.keyboard.type('two');
    await page.waitForURL(/session_id=one\+two$/);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.waitForURL((url) => url.search === '');
    await hasText(field, '');
    await page.goBack();
    await page.waitForURL(/session_id=one\+two$/);
    await hasText(field, 'one two');
  });

  test('the time range control keeps keyboard focus when the user changes the range', async () => {
    await goTo(page, 'sessions');
    await page.getByRole('radio', { name: '30 days' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/days=90/);
    // The URL changes shortly before the browser renders the page.
    await page.locator('input[type=radio][value="90"]:checked').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/days=30/);
    await hasFocus('INPUT');
  });

  test('the heading receives focus when the focused element disappears or another page opens', async () => {
    await goTo(page, 'overview?model=openai/gpt-4o-mini');
    await page.getByRole('button', { name: /^Remove filter Model/ }).press('Enter');
    await page.waitForURL((url) => url.search === '');
    await hasFocus('H1');
    await page.getByRole('link', { name: 'Keys' }).press('Enter');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await hasFocus('H1');
  });
});
