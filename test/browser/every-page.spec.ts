import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import {
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
import { makeTraffic, waitForRequests, type Traffic } from './traffic.fixture.ts';

const { baseUrl } = sharedStack();
/** What a contrast or a label is wrong in, is wrong at any width: each scheme is looked at once. */
const examined: readonly Look[] = [
  { scheme: 'light', width: 1600 },
  { scheme: 'dark', width: 390 },
];
/** Rows of the log that `makeTraffic` leaves: whether a model that there is not is one of them is not asked here. */
const requestsMade = 4;

let browser: Browser;
let person: TestPerson;
let traffic: Traffic;

beforeAll(async () => {
  browser = await connectBrowser();
  person = await signUpPerson(baseUrl);
  traffic = await makeTraffic(baseUrl, person);
  await waitForRequests(baseUrl, traffic.key, requestsMade);
}, 120_000);
afterAll(() => browser.close());

/** Every page of the navigation, and the detail of a request. */
const listPages = () => [
  ...['welcome', 'playground', 'overview', 'requests', 'sessions', 'tools', 'routing'],
  ...['keys', 'providers', 'billing', 'account'],
  `requests/${traffic.requestId}`,
];
const nameOf = (path: string) => (path.startsWith('requests/') ? 'request' : path);

test('every page of the navigation is looked at here', async () => {
  const watched = await openPage(browser, { scheme: 'light', width: 1600 });
  await signIn(watched, person);
  await goTo(watched.page, 'welcome');
  const links = await watched.page
    .locator('nav a[href^="/dashboard/"]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('href')?.replace('/dashboard/', '')));
  expect(links.sort()).toEqual(listPages().slice(0, -1).sort());
  await watched.close();
});

/** What scripts of hostile texts would have left behind. */
const countHits = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { hits?: number }).hits ?? 0);

test.each(looks.map((look) => [`${look.width} px, ${look.scheme}`, look] as const))(
  'no page has a fault, a serious barrier, foreign markup, or more than the width: %s',
  async (_title, look) => {
    const watched = await openPage(browser, look);
    const { page, context } = watched;
    await context.addInitScript(() => {
      const counting = window as unknown as { hits: number; hit: () => void };
      counting.hits = 0;
      counting.hit = () => (counting.hits += 1);
    });
    await signIn(watched, person);
    const isExamined = examined.some(({ scheme, width }) => scheme === look.scheme && width === look.width);
    for (const path of listPages()) {
      await goTo(page, path);
      await shoot(page, nameOf(path), look);
      expect([path, await isTooWide(page)]).toEqual([path, false]);
      expect([path, await page.locator('main :is(iframe, script, img[src=x])').count()]).toEqual([path, 0]);
      if (isExamined) expect([path, await findBarriers(page)]).toEqual([path, []]);
    }
    expect(await countHits(page)).toBe(0);
    expect(watched.faults).toEqual([]);
    await watched.close();
  },
);
