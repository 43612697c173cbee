import { sharedStack, signUpPerson } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
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

describe('a part of a page that is chosen by keyboard', () => {
  test('keeps it when another range of time is chosen', async () => {
    await goTo(page, 'sessions');
    await page.getByRole('radio', { name: '30 days' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/days=90/);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/days=30/);
    await hasFocus('INPUT');
  });

  test('gives it to the heading where it is gone, and where another page begins', async () => {
    await goTo(page, 'overview?model=openai/gpt-4o-mini');
    await page.getByRole('button', { name: /^Remove the filter Model/ }).press('Enter');
    await page.waitForURL((url) => url.search === '');
    await hasFocus('H1');
    await page.getByRole('link', { name: 'Keys' }).press('Enter');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await hasFocus('H1');
  });
});
