import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import {
  connectBrowser,
  findBarriers,
  isTooWide,
  looks,
  openPage,
  settle,
  shoot,
  type Look,
} from './page.fixture.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

async function signUp(page: Page, email: string): Promise<void> {
  await page.goto('/');
  await page.getByRole('link', { name: 'Create an account' }).click();
  // The sign-in form also has a field for the email address. After the click, the router replaces the form.
  await page.getByRole('heading', { name: 'Create an account', level: 1 }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill('a long sentence is fine');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
  await settle(page);
}

async function makeKey(page: Page): Promise<string> {
  await page.getByLabel('Key name').fill('browser test');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = await page.getByTestId('secret').textContent();
  return secret ?? '';
}

async function sendTestRequest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('link', { name: 'See why these tools were chosen' }).waitFor();
}

const title = ({ width, scheme }: Look) => `${width} px, ${scheme}`;

describe('the steps from sign-up to a first request', () => {
  test.each(looks.map((look) => [title(look), look] as const))('%s', async (_title, look) => {
    const watched = await openPage(browser, look);
    const { page, faults } = watched;
    const email = `browser-${randomUUID()}@example.com`;
    await signUp(page, email);
    expect(page.url()).toContain('/dashboard/welcome');
    const secret = await makeKey(page);
    expect(secret).toMatch(/^sk-svc-\w{49}$/);
    expect(await page.getByRole('region', { name: 'curl snippet' }).textContent()).toContain(secret);
    await sendTestRequest(page);
    await expect(page.locator('p[aria-live=polite]').textContent()).resolves.toContain('star_repository');
    await shoot(page, 'welcome', look);
    expect(await findBarriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    // The page keeps the API key in memory only, so a reload removes the API key.
    await page.reload();
    await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
    await settle(page);
    expect(await page.locator('body').textContent()).not.toContain(secret);
    expect(faults).toEqual([]);
    await watched.close();
  });
});
