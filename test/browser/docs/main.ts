// `npm run docs:screenshots` starts a separate stack with sample traffic.
// The command then takes the screenshots that README.md and docs/guides/dashboard.md show.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { signUpPerson, startStack } from '@gateway/testing';
import { chromium, type Page } from 'playwright-core';
import { githubTools } from '../../e2e/github-tools.fixture.ts';

const folder = resolve(import.meta.dirname, '../../../docs/images');
const questions = [
  'List the open issues of octo/hello that are labelled as bugs',
  'Create a pull request from the branch fix-login',
  'Star the repository octo/hello for me',
  'Who are the members of the team platform?',
];
const sessions = ['ticket-4711', 'ticket-4712', 'release-notes', undefined];

const stack = await startStack();
try {
  const person = await signUpPerson(stack.baseUrl);
  await switchShadowOff(stack.baseUrl, person.accessToken);
  const key = await createKey(stack.baseUrl, person.accessToken);
  const requestId = await makeTraffic(stack.baseUrl, key);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({
    baseURL: stack.baseUrl,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const { email, password } = person;
  await context.request.post('/v1/auth/log-in', { data: { email, password } });
  await context.addInitScript(() => localStorage.setItem('svc-was-signed-in', 'yes'));
  const page = await context.newPage();
  mkdirSync(folder, { recursive: true });
  await shoot(page, 'overview', 'overview');
  await shoot(page, `requests/${requestId}`, 'request');
  await shoot(page, 'tool-health', 'tool-health');
  // On this width, both responses are next to each other.
  await page.setViewportSize({ width: 1680, height: 1050 });
  await shoot(page, 'playground', 'playground', chat);
  await browser.close();
} finally {
  await stack.stop();
}

async function shoot(
  page: Page,
  path: string,
  name: string,
  act: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await page.goto(`/dashboard/${path}`);
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  await act(page);
  await page.screenshot({ path: join(folder, `${name}.jpg`), type: 'jpeg', quality: 72 });
}

async function chat(page: Page): Promise<void> {
  await page.getByRole('switch', { name: 'Compare with all tools' }).click();
  await page.getByRole('button', { name: 'Use 40 example tools' }).click();
  await page.getByRole('form', { name: 'Next message' }).getByRole('textbox').fill('List my invoices of May');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('list', { name: 'Highest-ranked tools' }).nth(1).waitFor();
  await page.evaluate(() => window.scrollTo(0, 0));
}

async function createKey(baseUrl: string, token: string): Promise<string> {
  const answer = await post(`${baseUrl}/v1/account/keys`, token, { name: 'my agent' });
  return ((await answer.json()) as { key: string }).key;
}

/** Shadow conversations send all tools, so few sample requests would show savings that depend on the draw. */
async function switchShadowOff(baseUrl: string, token: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/v1/account/me`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ policy: { shadow_share: 0 } }),
  });
  if (!answer.ok) throw new Error(`shadow conversations were not switched off: ${await answer.text()}`);
}

/** Sends sample requests. Returns the id of the last request that has a tool ranking. */
async function makeTraffic(baseUrl: string, key: string): Promise<string> {
  let requestId = '';
  for (let at = 0; at < 24; at += 1) {
    const session = sessions[at % sessions.length];
    const body = {
      model: 'sandbox/sandbox-1',
      stream: at % 2 === 0,
      messages: [{ role: 'user', content: questions[at % questions.length] }],
      tools: githubTools,
    };
    const headers = session === undefined ? {} : { 'x-svc-session-id': session };
    const answer = await post(`${baseUrl}/v1/chat/completions`, key, body, headers);
    await answer.text();
    requestId = answer.headers.get('x-request-id') ?? requestId;
  }
  // The worker writes the request log row about a second after the request ends.
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await fetch(`${baseUrl}/v1/account/requests/${requestId}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (found.ok) return requestId;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error('the requests did not appear in the log');
}

function post(
  url: string,
  token: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
