import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { send } from '../e2e/http.fixture.ts';
import {
  applyLook,
  connectBrowser,
  findBarriers,
  goTo,
  isTooWide,
  looks,
  openPage,
  shoot,
  signIn,
  type Look,
} from './page.fixture.ts';
import { makeTraffic, waitForContent, waitForRequests, type Traffic } from './traffic.fixture.ts';

const { baseUrl } = sharedStack();
/** The test checks each color scheme at only one page width, because contrast and labels do not depend on the width. */
const examined: readonly Look[] = [
  { scheme: 'light', width: 1600 },
  { scheme: 'dark', width: 390 },
];
/**
 * The number of request log rows that the test waits for after `makeTraffic`. The log may have one more row,
 * for a request with an unknown model.
 */
const requestsMade = 4;

let browser: Browser;
let person: TestPerson;
let traffic: Traffic;

beforeAll(async () => {
  browser = await connectBrowser();
  person = await signUpPerson(baseUrl);
  await logContents(person.accessToken);
  traffic = await makeTraffic(baseUrl, person);
  await waitForRequests(baseUrl, traffic.key, requestsMade);
  await waitForContent(baseUrl, traffic.key, traffic.requestId);
}, 120_000);
afterAll(() => browser.close());

/** Enables content logging, so that a request's page shows its contents. */
async function logContents(key: string): Promise<void> {
  const body = { policy: { content_logging: true } };
  const { status } = await send(baseUrl, { method: 'PATCH', path: '/v1/account/me', key, body });
  expect(status).toBe(200);
}

/** Every page in the navigation, and the page of one request. */
const pages = [
  ...['welcome', 'playground', 'overview', 'requests', 'sessions', 'tool-health', 'routing'],
  ...['keys', 'providers', 'billing', 'audit', 'account', 'request'],
];
const addressOf = (name: string) => (name === 'request' ? `requests/${traffic.requestId}` : name);

test('the page list of this test covers the whole navigation', async () => {
  const watched = await openPage(browser, { scheme: 'light', width: 1600 });
  await signIn(watched, person);
  await goTo(watched.page, 'welcome');
  const links = await watched.page
    .locator('nav a[href^="/dashboard/"]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('href')?.replace('/dashboard/', '')));
  expect(links.sort()).toEqual(pages.filter((name) => name !== 'request').sort());
  await watched.close();
});

/** Returns how many scripts ran because a page interpreted a hostile string as markup. */
const countHits = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { hits?: number }).hits ?? 0);

const isExamined = (look: Look) =>
  examined.some(({ scheme, width }) => scheme === look.scheme && width === look.width);

test.each(pages)(
  '%s has no errors, serious accessibility issues, injected markup or horizontal overflow',
  async (name) => {
    const watched = await openPage(browser, { scheme: 'light', width: 1600 });
    const { page, context } = watched;
    await context.addInitScript(() => {
      const counting = window as unknown as { hits: number; hit: () => void };
      counting.hits = 0;
      counting.hit = () => (counting.hits += 1);
    });
    await signIn(watched, person);
    await goTo(page, addressOf(name));
    expect(await page.locator('main :is(iframe, script, img[src=x])').count()).toBe(0);
    for (const look of looks) {
      await applyLook(page, look);
      await shoot(page, name, look);
      expect({ look, isTooWide: await isTooWide(page) }).toEqual({ look, isTooWide: false });
      if (isExamined(look))
        expect({ look, barriers: await findBarriers(page) }).toEqual({ look, barriers: [] });
    }
    expect(await countHits(page)).toBe(0);
    expect(watched.faults).toEqual([]);
    await watched.close();
  },
);

const firstPaintMs = 1_000;

/**
 * Returns the minimum time in milliseconds until the first paint with an empty cache. The function visits the
 * page 5 times, or up to 15 times on a busy machine.
 */
async function measureFirstPaint(): Promise<number> {
  const paints: number[] = [];
  for (let visit = 0; visit < 5 || (visit < 15 && Math.min(...paints) >= firstPaintMs); visit++) {
    const watched = await openPage(browser, { scheme: 'light', width: 1600 });
    const { page } = watched;
    await page.goto('/dashboard/sign-in');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    paints.push(
      await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity,
      ),
    );
    await watched.close();
  }
  return Math.min(...paints);
}

test('the first paint of the dashboard takes less than a second', async () => {
  expect(await measureFirstPaint()).toBeLessThan(firstPaintMs);
});
