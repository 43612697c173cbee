/** The API reference at `/docs`: its search, its code samples, and the form that sends requests. */
import { sharedStack } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { createTestAccount } from '../e2e/account.fixture.ts';
import { connectBrowser, isTooWide, openPage, type Look, type WatchedPage } from './page.fixture.ts';

const chat = '/docs#?route=post-/v1/chat/completions';
let browser: Browser;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

async function visit(look: Look, path: string): Promise<WatchedPage> {
  const watched = await openPage(browser, look);
  await watched.page.goto(path);
  await watched.page.getByText('CODE SAMPLES').or(watched.page.getByText('License:')).first().waitFor();
  return watched;
}

const looks: readonly Look[] = ([390, 768, 1440, 1920] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ scheme, width })),
);

test.each(looks)(
  'the reference fits at $width px ($scheme), and loads nothing from other hosts',
  async (look) => {
    const watched = await visit(look, chat);
    await watched.page.getByText('/v1/chat/completions').first().waitFor();
    expect(await isTooWide(watched.page)).toBe(false);
    expect(watched.faults).toEqual([]);
    await watched.page.screenshot({
      path: `${import.meta.dirname}/screenshots/reference-${look.width}-${look.scheme}.png`,
    });
    await watched.close();
  },
);

test('the search finds an operation', async () => {
  const watched = await visit({ scheme: 'light', width: 1440 }, '/docs');
  const { page } = watched;
  await page.locator('#nav-bar-search').fill('toollist');
  await page.keyboard.press('Enter');
  await page.getByText('/v1/account/keys/{key_id}/toollist').first().waitFor();
  await page.getByText('/v1/embeddings').first().waitFor({ state: 'hidden' });
  expect(watched.faults).toEqual([]);
  await watched.close();
});

test('an operation has samples in curl, TypeScript and Python', async () => {
  const watched = await visit({ scheme: 'light', width: 1440 }, chat);
  const { page } = watched;
  for (const [label, text] of [
    ['curl', 'curl -X POST'],
    ['TypeScript', 'await fetch('],
    ['Python', 'requests.post('],
  ] as const) {
    await page.getByRole('button', { name: label, exact: true }).click();
    await page.getByText(text).first().waitFor();
  }
  await watched.close();
});

/** Sets the API key on the page, and sends the example of the chat operation from the page. */
async function tryOut(page: Page, key: string): Promise<void> {
  await page.goto('/docs#?route=auth');
  await page.locator('input[name=api-key]').first().fill(key);
  await page.getByRole('button', { name: 'Set', exact: false }).first().click();
  await page.goto(chat);
  await page.getByRole('button', { name: 'Execute', exact: false }).first().click();
}

test('the form sends the example request with the API key to this gateway', async () => {
  const { apiKey } = await createTestAccount(sharedStack());
  const watched = await visit({ scheme: 'light', width: 1440 }, chat);
  const { page } = watched;
  const answered = page.waitForResponse('**/v1/chat/completions');
  await tryOut(page, apiKey);
  const answer = await answered;
  expect([answer.status(), await answer.json()]).toMatchObject([200, { object: 'chat.completion' }]);
  expect(watched.faults).toEqual([]);
  await watched.close();
});
