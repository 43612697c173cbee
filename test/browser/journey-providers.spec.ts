/** Connecting providers: which fields are needed together, and whether the credential works. */
import type { Browser, Page } from 'playwright-core';
import { plainAnswer } from '../e2e/provider.fixture.ts';
import { openPerson } from './measured.fixture.ts';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';

type Opened = Awaited<ReturnType<typeof openPerson>>;
let browser: Browser;
let account: Opened;
let watched: WatchedPage;
let page: Page;
const goodKey = 'sk-browser-good-0123456789';

beforeAll(async () => {
  [browser, account] = await Promise.all([connectBrowser(), openPerson()]);
  watched = await openPage(browser, { scheme: 'light', width: 1440 });
  await signIn(watched, account.person);
  page = watched.page;
  account.provider.setControls(({ headers }) =>
    headers.authorization === `Bearer ${goodKey}` ? plainAnswer : { ...plainAnswer, status: 401 },
  );
}, 120_000);
afterAll(async () => {
  await watched.close();
  await Promise.all([browser.close(), account.provider.close()]);
});
/** The browser logs each response with an error status. A refused key has the status 400. */
const isRefusal = (fault: string) => /status of 400 .*\/v1\/account\/providers/.test(fault);
afterEach(() => expect(watched.faults.filter((fault) => !isRefusal(fault))).toEqual([]));

const dialog = () => page.getByRole('dialog');
const card = (name: string) => page.getByRole('article').filter({ hasText: name });

async function open(name: string): Promise<void> {
  await goTo(page, 'providers');
  await page.getByLabel('Find a provider').fill(name);
  await page.getByRole('button', { name: `Connect ${name}`, exact: true }).click();
}

test('a rejected key is reported in the form, which stays open until the key works', async () => {
  await open('Groq');
  await dialog().getByLabel('Base URL').fill(`${account.provider.url}/v1`);
  const key = dialog().getByRole('textbox', { name: /^API key/ });
  await key.fill('sk-browser-wrong-0123456789');
  await dialog().getByRole('button', { name: 'Connect' }).click();
  await dialog().getByText('The provider refused the credential with status 401.').waitFor();
  await card('Groq').getByText('failing', { exact: true }).waitFor();
  await key.fill(goodKey);
  await dialog().getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('status').getByText('Groq is connected. The credential works.').waitFor();
  await card('Groq').getByText('connected', { exact: true }).waitFor();
});

test('a key of another provider is refused with the reason', async () => {
  await open('DeepSeek');
  await dialog()
    .getByRole('textbox', { name: /^API key/ })
    .fill('sk-ant-api03-0123456789abcdef');
  await dialog().getByRole('button', { name: 'Connect' }).click();
  await dialog()
    .getByText(/a key of Anthropic/)
    .waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
});

test('a provider with several kinds of credentials shows the fields that are needed together', async () => {
  await open('Amazon Bedrock');
  const required = () =>
    dialog()
      .locator('input[required]')
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).labels?.[0]?.textContent));
  const names = async () => (await required()).map((label) => label?.replace(' *', ''));
  expect(await names()).toEqual(['Access key ID', 'Secret access key']);
  await dialog().getByRole('radio', { name: 'API key' }).click();
  expect(await names()).toEqual(['API key']);
  expect(await dialog().getByLabel('Session token').count()).toBe(0);
});
