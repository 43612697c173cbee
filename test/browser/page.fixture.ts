import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { sharedStack, type TestPerson } from '@gateway/testing';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page's color scheme and width. */
export interface Look {
  readonly scheme: 'light' | 'dark';
  readonly width: 360 | 390 | 768 | 1024 | 1440 | 1600 | 1920;
}

export const looks: readonly Look[] = [
  { scheme: 'light', width: 390 },
  { scheme: 'dark', width: 390 },
  { scheme: 'light', width: 1024 },
  { scheme: 'dark', width: 1024 },
  { scheme: 'light', width: 1600 },
  { scheme: 'dark', width: 1600 },
];

/** Connects to the browser that the test suite started. */
export function connectBrowser(): Promise<Browser> {
  const url = process.env['TEST_BROWSER_URL'];
  if (!url)
    throw new Error('TEST_BROWSER_URL is not set: run the suite through test/browser/browser.setup.mjs.');
  return chromium.connect(url);
}

/** A browser page that records unexpected behavior. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The page's console errors, exceptions, calls to other hosts, and Content-Security-Policy violations. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

const heights = { 360: 740, 390: 844, 768: 1024, 1024: 768, 1440: 900, 1600: 1000, 1920: 1080 } as const;

/**
 * The address of the edge that serves the pages, and the address of an OpenID Connect issuer that the pages
 * may call. By default, the shared stack's edge serves the pages.
 */
export interface PageHome {
  readonly baseUrl?: string;
  readonly issuer?: string;
}

/** Opens an empty page in its own browser context, without a signed-in user. */
export async function openPage(browser: Browser, look: Look, home: PageHome = {}): Promise<WatchedPage> {
  const { baseUrl = sharedStack().baseUrl, issuer = baseUrl } = home;
  const context = await browser.newContext({
    baseURL: baseUrl,
    colorScheme: look.scheme,
    viewport: { width: look.width, height: heights[look.width] },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const faults: string[] = [];
  await context.exposeFunction('noteViolation', (text: string) => faults.push(`policy: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { noteViolation } = window as unknown as { noteViolation: (text: string) => void };
      noteViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  const page = await context.newPage();
  watch(page, faults, [new URL(baseUrl).origin, new URL(issuer).origin]);
  return { page, context, faults, close: () => context.close() };
}

function watch(page: Page, faults: string[], origins: readonly string[]): void {
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol) && !origins.includes(url.origin))
      faults.push(`another host: ${request.url()}`);
  });
}

/**
 * Signs a user in through the API. Stores the refresh token as a cookie in the browser context, like the
 * sign-in page does.
 */
export async function signIn({ context }: WatchedPage, person: Pick<TestPerson, 'email' | 'password'>) {
  const { email, password } = person;
  const answer = await context.request.post('/v1/auth/log-in', { data: { email, password } });
  if (!answer.ok()) throw new Error(`log-in failed with status ${answer.status()}: ${await answer.text()}`);
  await context.addInitScript(() => {
    // The script sets the sign-in flag only once, so that a page load after a sign-out leaves the flag unset.
    if (sessionStorage.getItem('was-marked') !== null) return;
    sessionStorage.setItem('was-marked', 'yes');
    localStorage.setItem('svc-was-signed-in', 'yes');
  });
}

/** Opens a page under `/dashboard/` and waits until the page is rendered. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(`/dashboard/${path}`);
  await page.locator('h1').waitFor();
  await settle(page);
}

/** Waits until the page has loaded its data. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('[role=status] .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}

/**
 * Returns the page's serious violations of WCAG 2.2 AA and of axe's accessibility best practices, as `rule:
 * element`.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  // axe is injected through the debugger protocol, so the page's Content-Security-Policy does not block it.
  await page.evaluate(axeSource);
  const results = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return axe.run({ resultTypes: ['violations'] });
  });
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
    );
}

/** Returns true if the page's content is wider than the browser window. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1);
}

/** Sets the page's color scheme and width. */
export async function applyLook(page: Page, { scheme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: heights[width] });
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' });
  // After a resize, charts and lists take a few frames to render again.
  await page.evaluate(
    () =>
      new Promise((settle) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(settle, 50))),
      ),
  );
}

/** Saves a screenshot for manual review in `screenshots`, a folder that git ignores. */
export async function shoot(page: Page, name: string, { scheme, width }: Look): Promise<void> {
  const path = join(import.meta.dirname, 'screenshots', `${name}-${width}-${scheme}.png`);
  await page.screenshot({ path, fullPage: true });
}

/**
 * Returns the texts in tables that are wider than their cells, and the texts of rows that are too low for their lines. Foreign names (in `bdi`) may end with an ellipsis,
 * because names can have any length. Texts for screen readers only are 1 px wide.
 */
export function findClippedCells(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isClipped = (element: Element) =>
      element.textContent !== '' && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
    const isForeign = ({ textContent, children }: Element): boolean => {
      const [only] = children;
      if (only === undefined || children.length > 1 || only.textContent !== textContent) return false;
      return only.matches('bdi') || isForeign(only);
    };
    const rows = [...document.querySelectorAll('main [role=row][data-key]')];
    const low = rows.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1);
    const cells = [...document.querySelectorAll('main :is([role=columnheader], [role=cell], th, td)')];
    const clipped = cells.filter((cell) =>
      [cell, ...cell.querySelectorAll('*')].some((each) => isClipped(each) && !isForeign(each)),
    );
    return [...low, ...clipped].map(({ textContent }) => textContent);
  });
}

/** Returns the labels of tables with columns outside their frame, which the user must scroll sideways. */
export function findSidewaysTables(page: Page): Promise<(string | null)[]> {
  return page
    .getByRole('table')
    .evaluateAll((tables) =>
      tables
        .filter(({ parentElement: frame }) => frame !== null && frame.scrollWidth > frame.clientWidth + 1)
        .map((table) => table.getAttribute('aria-label')),
    );
}
