import { requestLogPage } from '@gateway/contracts';
import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { callFor } from '../e2e/governance.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';

const { baseUrl } = sharedStack();
const look = { scheme: 'light', width: 1600 } as const;

let browser: Browser;
let people: readonly [TestPerson, TestPerson];
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

/** Two users with different account names. The first user is signed in. */
beforeEach(async () => {
  people = await Promise.all([openPerson('of the first'), openPerson('of the second')]);
  watched = await openPage(browser, look);
  await signIn(watched, people[0]);
  page = watched.page;
});
afterEach(() => watched.close());

async function openPerson(name: string): Promise<TestPerson> {
  const person = await signUpPerson(baseUrl);
  await send(baseUrl, { method: 'PATCH', path: '/v1/account/me', key: person.accessToken, body: { name } });
  return person;
}

async function logOut(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: /appearance and sign-out/ }).click();
  await tab.getByRole('menuitem', { name: 'Sign out' }).click();
}

async function logIn(tab: Page, { email, password }: TestPerson): Promise<void> {
  await tab.getByLabel('E-mail').fill(email);
  await tab.getByRole('textbox', { name: 'Password' }).fill(password);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByText(email).first().waitFor();
}

const nameField = () => page.getByLabel('Account name');

test('a page discards one person’s data after a different person signs in in another tab', async () => {
  await goTo(page, 'account');
  expect(await nameField().inputValue()).toBe('of the first');
  const tab = await watched.context.newPage();
  await goTo(tab, 'providers');
  await logOut(tab);
  await logIn(tab, people[1]);
  const changed = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await nameField().fill('another name');
  await page.getByRole('button', { name: 'Save name' }).click();
  expect((await changed).status()).toBe(401);
  await page.getByText(people[1].email).first().waitFor();
  expect(await nameField().inputValue()).toBe('of the second');
});

/** Sends a message in the playground, and waits for the request's row in the request log. */
async function chat(text: string): Promise<void> {
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('form', { name: 'Next message' }).getByRole('textbox').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'View full request' }).waitFor();
  await page.getByText('Tokens saved').waitFor();
}

const countRequests = async ({ accessToken }: TestPerson): Promise<number> =>
  (await callFor(requestLogPage, 200, { path: '/v1/account/requests', key: accessToken })).total;

test('a playground request is logged for the signed-in person, not for the previous person', async () => {
  await goTo(page, 'providers');
  await chat('Hello from the first');
  expect(await countRequests(people[0])).toBe(1);
  await logOut(page);
  await logIn(page, people[1]);
  await chat('Hello from the second');
  expect(await Promise.all(people.map(countRequests))).toEqual([1, 1]);
});

test('text in the sign-in form is kept while the previous login session is still ending', async () => {
  const answer = Promise.withResolvers<undefined>();
  await page.route('**/v1/auth/log-out', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await goTo(page, 'providers');
  await logOut(page);
  await page.getByLabel('E-mail').fill(people[1].email);
  const ended = page.waitForResponse('**/v1/auth/log-out');
  answer.resolve(undefined);
  await ended;
  // Within 500 ms, the page would render any change that the late response causes.
  await page.waitForTimeout(500);
  expect(await page.getByLabel('E-mail').inputValue()).toBe(people[1].email);
});

test('the next person cannot undo an action of the previous person', async () => {
  await goTo(page, 'account');
  await page.getByLabel('Requests per minute').fill('123');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await logOut(page);
  await page.getByLabel('E-mail').waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
});
