import { randomUUID } from 'node:crypto';
import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';

const { baseUrl } = sharedStack();
const desktop = { scheme: 'light', width: 1600 } as const;

let browser: Browser;
let person: TestPerson;
let watched: WatchedPage;
let page: Page;

/** Calls the gateway's API with the user's access token. */
async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
  person = await signUpPerson(baseUrl);
  watched = await openPage(browser, desktop);
  await signIn(watched, person);
  page = watched.page;
});
afterEach(async () => {
  expect(watched.faults).toEqual([]);
  await watched.close();
});

const dialog = () => page.getByRole('dialog');
const done = (text: string | RegExp) => page.getByRole('status').getByText(text).waitFor();

async function chooseAction(name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('a key can be created, given limits and allowed tools, rotated and revoked, as the API confirms', async () => {
  await goTo(page, 'keys');
  await page.getByRole('button', { name: 'New key' }).first().click();
  await dialog().getByLabel('Name').fill('agent one');
  await dialog().getByRole('button', { name: 'Create key' }).click();
  const secret = await page.getByTestId('secret').textContent();
  await dialog().getByRole('button', { name: 'Done' }).click();

  await chooseAction('agent one', 'Edit name, scopes and limits');
  await dialog().getByLabel('Requests per minute').fill('77');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await done('“agent one” saved.');

  await chooseAction('agent one', 'Allowed and denied tools');
  await dialog().getByLabel('Denied tools').fill('drop_table\nsend_money\n');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await done(/Tool lists/);
  expect(await call('GET', '/v1/account/keys')).toMatchObject({
    data: [{ name: 'agent one', rate_limit_rpm: 77, denied_tools: ['drop_table', 'send_money'] }],
  });

  await chooseAction('agent one', 'Rotate secret');
  await dialog().getByRole('button', { name: 'Create new secret' }).click();
  await page.getByTestId('secret').waitFor();
  expect(await page.getByTestId('secret').textContent()).not.toBe(secret);
  await dialog().getByRole('button', { name: 'Done' }).click();

  await chooseAction('agent one', 'Revoke');
  await dialog().getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('No keys yet').waitFor();
  expect(await call('GET', '/v1/account/keys')).toMatchObject({ data: [] });
});

test('a key has only the scope inference unless the person chooses other scopes; an account can have default scopes', async () => {
  await goTo(page, 'keys');
  for (const [name, scope] of [['agent', null] as const, ['script', 'Read'] as const]) {
    await page.getByRole('button', { name: 'New key' }).first().click();
    await dialog().getByLabel('Name').fill(name);
    expect(await dialog().getByRole('checkbox', { name: 'Inference' }).isChecked()).toBe(true);
    expect(await dialog().getByRole('checkbox', { name: 'Manage' }).isChecked()).toBe(false);
    if (scope !== null) await dialog().getByRole('checkbox', { name: scope }).check();
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await dialog().getByRole('button', { name: 'Done' }).click();
  }
  await page.getByText('Inference, Read').waitFor();
  await chooseAction('agent', 'Edit name, scopes and limits');
  await dialog().getByRole('checkbox', { name: 'Manage' }).check();
  await dialog().getByLabel('Requests per minute').fill('9');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await done('“agent” saved.');
  expect(await call('GET', '/v1/account/keys')).toMatchObject({
    data: [
      { name: 'script', scopes: ['inference', 'read'] },
      { name: 'agent', scopes: ['inference', 'manage'], rate_limit_rpm: 9 },
    ],
  });

  await chooseAction('agent', 'Allowed and denied tools');
  await dialog().getByLabel('Denied tools').fill('send_money');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await done(/no longer has the scope Manage/);

  await goTo(page, 'account');
  await page.getByRole('checkbox', { name: 'Manage' }).uncheck();
  await page.getByRole('button', { name: 'Save default scopes' }).click();
  await done('Default scopes saved.');
  expect(await call('GET', '/v1/account/me')).toMatchObject({
    policy: { default_key_scopes: ['inference', 'read'] },
  });
});

test('a provider can be connected with its fields, and disconnected after a confirmation', async () => {
  await goTo(page, 'providers');
  await page.getByLabel('Find a provider').fill('openai');
  await page.getByRole('button', { name: 'Connect OpenAI', exact: true }).click();
  await dialog()
    .getByRole('textbox', { name: /^API key/ })
    .fill('sk-browser-0123456789wxyz');
  await dialog().getByRole('button', { name: 'Connect' }).click();
  // OpenAI rejects the key, or cannot be reached if the machine has no network connection.
  await dialog().getByText('Saved, but the check of the credential failed').waitFor();
  await dialog().getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('…wxyz').waitFor();
  await page.getByRole('button', { name: 'Disconnect OpenAI', exact: true }).click();
  await dialog().getByRole('button', { name: 'Disconnect' }).click();
  await done('OpenAI is disconnected.');
  expect(await call('GET', '/v1/account/providers')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ provider: 'openai', connected: false })]),
  });
});

test('limits can be changed and restored, and content logging can be turned on', async () => {
  await goTo(page, 'account');
  await page.getByLabel('Requests per minute').fill('123');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await done('Limits saved.');
  expect(await call('GET', '/v1/account/me')).toMatchObject({ policy: { rate_limit_rpm: 123 } });
  await page.getByRole('button', { name: 'Undo' }).click();
  await done('Limits restored.');
  expect(await call('GET', '/v1/account/me')).toMatchObject({ policy: { rate_limit_rpm: 600 } });
  await page.getByRole('switch', { name: 'Content logging' }).click();
  await page.getByRole('button', { name: 'Save data settings' }).click();
  await done('Data settings saved.');
  expect(await call('GET', '/v1/account/me')).toMatchObject({ policy: { content_logging: true } });
});

test('the account is deleted only after the user types the account’s name, and the user is signed out', async () => {
  await call('PATCH', '/v1/account/me', { name: 'to be deleted' });
  await goTo(page, 'account');
  await page.getByRole('button', { name: 'Delete account' }).click();
  const confirm = dialog().getByRole('button', { name: 'Delete everything' });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog().getByRole('textbox').fill('to be deleted');
  await confirm.click();
  await page.getByRole('heading', { name: 'Account deleted' }).waitFor();
  await page.goto('/dashboard/keys');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('signing in opens the requested page, and signing out ends the login session', async () => {
  const stranger = await openPage(browser, desktop);
  await stranger.page.goto('/dashboard/providers');
  await stranger.page.getByLabel('E-mail').fill(person.email);
  await stranger.page.getByRole('textbox', { name: 'Password' }).fill(person.password);
  await stranger.page.getByRole('button', { name: 'Sign in' }).click();
  await stranger.page.getByRole('heading', { name: 'Providers', level: 1 }).waitFor();
  // The login session survives a reload, even though the page stores no token.
  await stranger.page.reload();
  await stranger.page.getByRole('heading', { name: 'Providers', level: 1 }).waitFor();
  const stored = await stranger.page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  );
  expect(stored).not.toMatch(/eyJ|rt-svc|sk-svc/);
  await stranger.page.getByRole('button', { name: /appearance and sign-out/ }).click();
  await stranger.page.getByRole('menuitem', { name: 'Sign out' }).click();
  await stranger.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(stranger.faults).toEqual([]);
  await stranger.close();
});

test('a wrong password causes an error on the sign-in page', async () => {
  await watched.context.clearCookies();
  const stranger = await openPage(browser, desktop);
  await stranger.page.goto('/dashboard/sign-in');
  await stranger.page.getByLabel('E-mail').fill(`nobody-${randomUUID()}@example.com`);
  await stranger.page.getByRole('textbox', { name: 'Password' }).fill('not the password');
  await stranger.page.getByRole('button', { name: 'Sign in' }).click();
  await stranger.page.getByRole('alert').getByText('invalid_credentials').waitFor();
  await stranger.close();
});
