import { sharedStack, type ReplayProvider, type TestPerson } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { requestIdOf, waitForRow } from '../e2e/account.fixture.ts';
import { postChat, type Answer } from '../e2e/http.fixture.ts';
import { completion, plainAnswer, streamedAnswer } from '../e2e/provider.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { openPerson } from './measured.fixture.ts';
import {
  applyLook,
  connectBrowser,
  findBarriers,
  goTo,
  isTooWide,
  openPage,
  shoot,
  signIn,
  type WatchedPage,
} from './page.fixture.ts';
import { waitForContent } from './traffic.fixture.ts';

const { baseUrl } = sharedStack();
const look = { width: 1600, scheme: 'light' } as const;
const evil = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>\u202E{{7*7}}`;
const digits = '12345678901234567890';

let browser: Browser;
let person: TestPerson;
let provider: ReplayProvider;
let key: string;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, { person, provider, key }] = await Promise.all([connectBrowser(), openPerson()]);
  watched = await openPage(browser, look);
  await watched.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(watched, person);
  page = watched.page;
}, 60_000);
afterAll(async () => {
  await watched.close();
  await Promise.all([browser.close(), provider.close()]);
});
afterEach(() => expect(watched.faults).toEqual([]));

const renderAsking = (text: string, more: object = {}): string =>
  JSON.stringify({
    model: 'openai/gpt-4o-mini',
    messages: [{ role: 'user', content: text }],
    seed: 1,
    ...more,
  }).replace('"seed":1', `"seed":${digits}`);

const bodyOf = (name: 'request' | 'response') => page.getByRole('region', { name: `Body of the ${name}` });

/** Opens the page of a request after the request's contents have been stored. */
async function openLogged(answered: Answer): Promise<void> {
  const id = requestIdOf(answered);
  await waitForContent(baseUrl, person.accessToken, id);
  await goTo(page, `requests/${id}`);
  await bodyOf('response').waitFor();
}

test('no content is stored while content logging is off, and the page links to the setting', async () => {
  const answered = await postChat(baseUrl, key, renderAsking('not to be stored'));
  await waitForRow(baseUrl, person.accessToken, requestIdOf(answered));
  await goTo(page, `requests/${requestIdOf(answered)}`);
  await page.getByText('Content logging is off').waitFor();
  expect(await page.locator('main').textContent()).not.toContain('not to be stored');
  await page.locator('main').getByRole('link', { name: 'Account' }).click();
  await page.getByRole('switch', { name: 'Content logging' }).click();
  await page.getByRole('button', { name: 'Save data settings' }).click();
  await page.getByRole('status').getByText('Data settings saved.').waitFor();
});

test('request and response bodies are formatted, shown as text, and copied unchanged', async () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: evil }, finish_reason: 'stop' }];
  provider.enqueue(null, { ...plainAnswer, body: { ...completion, choices } });
  const asked = renderAsking(evil);
  const answered = await postChat(baseUrl, key, asked);
  await openLogged(answered);
  const lines = JSON.stringify(JSON.parse(asked), null, 2).replace(/"seed": .*/, `"seed": ${digits}`);
  expect(await bodyOf('request').textContent()).toBe(lines);
  expect(await bodyOf('response').textContent()).toBe(JSON.stringify(JSON.parse(answered.text), null, 2));
  expect(await page.locator('main :is(img, script)').count()).toBe(0);
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
  await page.getByRole('button', { name: 'Copy the request' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(asked);
  await shoot(page, 'contents', look);
});

test('a streamed response is shown as the client received it', async () => {
  provider.enqueue(null, streamedAnswer(['It opens ', 'at nine.']));
  const answered = await postChat(baseUrl, key, renderAsking('When does it open?', { stream: true }));
  await openLogged(answered);
  expect(await bodyOf('response').textContent()).toBe(answered.text);
});

test('a 3 MiB body shows the beginning, then the whole stored part on request, and a note about the missing part', async () => {
  const narrow = { width: 360, height: 780 };
  const answered = await postChat(baseUrl, key, renderAsking('lighthouse \u202E '.repeat(230_000)));
  await openLogged(answered);
  await page.getByText('Cut: only the first 2 MiB are stored.').waitFor();
  const drawn = async () => (await bodyOf('request').textContent())?.length;
  expect(await drawn()).toBe(65_536);
  await applyLook(page, { scheme: 'dark', width: 390 });
  await page.setViewportSize(narrow);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show the rest of the request' }).click();
  await eventually(async () => ((await drawn())! > 1_500_000 ? true : undefined));
  expect(await bodyOf('request').evaluate((region) => region === document.activeElement)).toBe(true);
  await page.keyboard.press('End');
  await eventually(
    async () => (await bodyOf('request').evaluate(({ scrollTop }) => scrollTop > 10_000)) || undefined,
  );
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'contents-narrow', { width: 390, scheme: 'dark' });
}, 60_000);
