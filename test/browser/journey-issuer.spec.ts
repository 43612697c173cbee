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

test('a rejected sign-in shows the issuer’s message as text and can be retried', async () => {
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

test('signing in at the issuer creates an account, opens the requested page and stores no token', async () => {
  await page.goto('/dashboard/keys');
  await goOn();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await heading('Keys');
  expect(new URL(page.url()).search).toBe('');
  await page.getByText(email).first().waitFor();
  await page.getByText('No keys yet').waitFor();
  expect(issuer.grants).toEqual(['authorization_code']);
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  );
  expect(stored).not.toMatch(/eyJ|sign-in/);
});

test('a reload redirects through the issuer, which accepts the browser’s session and redirects back', async () => {
  await page.reload();
  await heading('Keys');
  expect(issuer.grants).toEqual(['authorization_code', 'authorization_code']);
});

test('a token that is about to expire is renewed before use', async () => {
  // Tokens expire sooner than the renewal margin, so the page renews the token before every call.
  issuer.setLife(20);
  await page.reload();
  await heading('Keys');
  await page.getByText('No keys yet').waitFor();
  await page.getByRole('link', { name: 'Account', exact: true }).click();
  await heading('Account');
  await page.getByRole('heading', { name: 'Data settings' }).waitFor();
  expect(issuer.grants.slice(3)).toContain('refresh_token');
  expect(new Set(issuer.grants)).toEqual(new Set(['authorization_code', 'refresh_token']));
  issuer.setLife(600);
});

test('a sign-in response is rejected if this tab did not request it', async () => {
  const stranger = await openPage(browser, look, { baseUrl, issuer: issuer.issuer });
  const before = issuer.grants.length;
  await stranger.page.goto('/dashboard/sign-in/callback?code=stolen&state=theirs');
  await stranger.page.getByRole('alert').getByText('This sign-in was not started in this tab').waitFor();
  expect(issuer.grants).toHaveLength(before);
  expect(stranger.faults).toEqual([]);
  await stranger.close();
});

test('a person who signs out is not signed in again automatically', async () => {
  await page.getByRole('button', { name: /appearance and sign-out/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading('Sign in');
  await page.goto('/dashboard/keys');
  await heading('Sign in');
  await page.getByRole('button', { name: /^Continue with/ }).waitFor();
});
