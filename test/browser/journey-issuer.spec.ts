import { sharedStack } from '@gateway/testing';
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { edgeUrl } from '../e2e/edges.fixture.ts';
import { startSignInIssuer, type SignInIssuer } from './issuer.fixture.ts';
import { connectBrowser, findBarriers, openPage, type WatchedPage } from './page.fixture.ts';

const look = { width: 1600, scheme: 'light' } as const;
const refusal = '<img src=x onerror="window.pwned=1">No, thank you\u202E';
const email = 'ada@example.com';

let browser: Browser;
let issuer: SignInIssuer;
let baseUrl: string;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  baseUrl = edgeUrl(sharedStack(), 'oidc');
  browser = await connectBrowser();
  issuer = await startSignInIssuer({
    port: Number(new URL(process.env['TEST_OIDC_ISSUER']!).port),
    clientId: 'dashboard',
    redirectUri: `${baseUrl}/dashboard/sign-in/callback`,
    person: { subject: `issuer|${randomUUID()}`, email },
    refusal,
  });
  watched = await openPage(browser, look, { baseUrl, issuer: issuer.issuer });
  page = watched.page;
}, 60_000);
afterAll(async () => {
  await watched.close();
  await Promise.all([browser.close(), issuer.close()]);
});
afterEach(() => expect(watched.faults).toEqual([]));

const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
const goOn = () => page.getByRole('button', { name: `Continue with ${new URL(issuer.issuer).host}` }).click();

test('who refuses at the issuer is told so in its words, as text, and may begin again', async () => {
  await page.goto('/dashboard/keys');
  await heading('Sign in');
  expect(await findBarriers(page)).toEqual([]);
  await goOn();
  await page.getByRole('link', { name: 'Refuse' }).click();
  await page.getByRole('alert').getByText('No, thank you').waitFor();
  expect(await page.locator('img[src=x]').count()).toBe(0);
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
  expect(issuer.grants).toEqual([]);
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading('Sign in');
});

test('who signs in at the issuer is where they wanted to be, with an account of their own, and no token is stored', async () => {
  await page.goto('/dashboard/keys');
  await goOn();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await heading('Keys');
  expect(new URL(page.url()).search).toBe('');
  await page.getByText(email).first().waitFor();
  await page.getByText('No key yet').waitFor();
  expect(issuer.grants).toEqual(['authorization_code']);
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  );
  expect(stored).not.toMatch(/eyJ|sign-in/);
});

test('a reload goes by way of the issuer, which knows the browser, and comes back', async () => {
  await page.reload();
  await heading('Keys');
  expect(issuer.grants).toEqual(['authorization_code', 'authorization_code']);
});

test('a token that is about to end is renewed before it is used', async () => {
  // Less than the page's margin: each call is made with a new one.
  issuer.setLife(20);
  await page.reload();
  await heading('Keys');
  await page.getByText('No key yet').waitFor();
  await page.getByRole('link', { name: 'Account', exact: true }).click();
  await heading('Account');
  await page.getByRole('heading', { name: 'What is kept' }).waitFor();
  expect(issuer.grants.slice(3)).toContain('refresh_token');
  expect(new Set(issuer.grants)).toEqual(new Set(['authorization_code', 'refresh_token']));
  issuer.setLife(600);
});

test('an answer that was not asked for here is not taken', async () => {
  const stranger = await openPage(browser, look, { baseUrl, issuer: issuer.issuer });
  const before = issuer.grants.length;
  await stranger.page.goto('/dashboard/sign-in/callback?code=stolen&state=theirs');
  await stranger.page.getByRole('alert').getByText('This sign-in was not begun here').waitFor();
  expect(issuer.grants).toHaveLength(before);
  expect(stranger.faults).toEqual([]);
  await stranger.close();
});

test('who logs out is not signed in again unasked', async () => {
  await page.getByRole('button', { name: /appearance and log-out/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await heading('Sign in');
  await page.goto('/dashboard/keys');
  await heading('Sign in');
  await page.getByRole('button', { name: /^Continue with/ }).waitFor();
});
