import { sharedStack } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';

import { send } from '../e2e/http.fixture.ts';
import { completion, plainAnswer } from '../e2e/provider.fixture.ts';
import { openPerson, waitForLog, type MeasuredAccount } from './measured.fixture.ts';
import { connectBrowser, goTo, openPage, signIn, type WatchedPage } from './page.fixture.ts';

/**
 * A right-to-left override. A right-to-left override reverses all following text unless an element isolates
 * the text.
 */
const override = '\u202e';
const evil = (what: string) =>
  `${what}<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>"'&lt;${override}`;

const toolNames = [evil('tool'), '<b>bold</b>', `${override}desrever`];
const model = `openai/${evil('model')}`;
// A hostile session id. Values of HTTP headers may contain only ASCII characters.
const session = `<img src=x onerror=window.pwned=1>'"</script>`;
const errorText = evil('The model is not available:  ');

let browser: Browser;
let account: MeasuredAccount;
let watched: WatchedPage;

beforeAll(async () => {
  [browser, account] = await Promise.all([connectBrowser(), openEvilAccount()]);
  watched = await openPage(browser, { width: 1600, scheme: 'light' });
  await signIn(watched, account.person);
}, 120_000);
afterAll(async () => {
  await watched.close();
  await Promise.all([browser.close(), account.provider.close()]);
});

function renderTools(): object[] {
  const plain = Array.from({ length: 12 }, (_, at) => `tool_number_${at}`);
  return [...toolNames, ...plain].map((name) => ({
    type: 'function',
    function: { name, description: evil(`Calls ${name}`), parameters: { type: 'object', properties: {} } },
  }));
}

async function openEvilAccount(): Promise<MeasuredAccount> {
  const opened = await openPerson({ keyName: evil('key') });
  const { provider, key } = opened;
  const tool_calls = [{ id: 'c1', type: 'function', function: { name: toolNames[0], arguments: '{}' } }];
  const choices = [
    { index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' },
  ];
  provider.enqueue(null, { ...plainAnswer, body: { ...completion, choices } });
  provider.enqueue(null, {
    status: 404,
    headers: { 'content-type': 'application/json' },
    body: { error: { message: errorText, type: 'invalid_request_error', code: evil('code') } },
  });
  for (const named of ['openai/gpt-4o-mini', model]) {
    const body = {
      model: named,
      messages: [{ role: 'user', content: `call ${toolNames[0]}` }],
      tools: renderTools(),
    };
    const headers = { 'x-svc-session-id': session };
    await send(sharedStack().baseUrl, { method: 'POST', path: '/v1/chat/completions', key, headers, body });
  }
  return { ...opened, rows: await waitForLog(key, 2) };
}

/** Expects the page to show the string as plain text. No part of the string may become markup. */
async function expectText(page: Page, text: string): Promise<void> {
  const found = page.getByText(text, { exact: false });
  expect({ text, shown: await found.count() }).toEqual({ text, shown: expect.any(Number) });
  expect(await found.count()).toBeGreaterThan(0);
  expect(await page.locator('img[src=x], main script, main b').count()).toBe(0);
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
}

/** Expects an isolating element around each string that contains a right-to-left override. */
async function expectIsolated(page: Page): Promise<void> {
  const loose = await page.evaluate((mark) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const isIsolated = node.parentElement?.closest('bdi, code, pre, textarea, option, input') != null;
      if (node.nodeValue?.includes(mark) === true && !isIsolated) found.push(node.nodeValue);
    }
    return found;
  }, override);
  expect(loose).toEqual([]);
}

const failedId = () => account.rows.find(({ status }) => status === 'error')!.id;
const servedId = () => account.rows.find(({ status }) => status === 'ok')!.id;
const tool = () => new URLSearchParams({ name: toolNames[0]! }).toString();
const cases: [name: string, path: () => string, texts: string[]][] = [
  ['overview', () => 'overview', [session, evil('key')]],
  ['requests', () => 'requests', [model, session]],
  ['a failed request', () => `requests/${failedId()}`, [model, errorText]],
  ['a request with ranked tools', () => `requests/${servedId()}`, toolNames],
  ['sessions', () => 'sessions', [session]],
  [
    'a session',
    () => `sessions/one?${new URLSearchParams({ id: session }).toString()}`,
    [session, toolNames[0]!],
  ],
  ['tool health', () => 'tool-health', toolNames],
  ['a tool', () => `tool-health/one?${tool()}`, [toolNames[0]!]],
  ['traces', () => 'routing?tab=traces', [toolNames[0]!]],
];

test.each(cases)('%s: untrusted text is shown as plain text', async (_name, path, texts) => {
  await goTo(watched.page, path());
  for (const text of texts) await expectText(watched.page, text);
  await expectIsolated(watched.page);
  expect(watched.faults).toEqual([]);
});

test('the playground shows model output and pasted tools as plain text', async () => {
  const { page } = watched;
  await goTo(page, 'playground');
  const said = evil('said');
  const choices = [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }];
  account.provider.setControls({ ...plainAnswer, body: { ...completion, choices } });
  await page.getByLabel('Tools (JSON)').fill(JSON.stringify(renderTools()));
  await page.getByRole('switch', { name: 'Stream the response' }).click();
  await chooseModel(page, 'openai/gpt-4o-mini');
  await page.getByRole('form', { name: 'Next message' }).getByRole('textbox').fill(evil('asked'));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(said).waitFor();
  await expectText(page, said);
  await expectText(page, evil('asked'));
  await page.getByRole('list', { name: 'Highest-ranked tools' }).waitFor();
  await expectText(page, toolNames[0]!);
  await expectIsolated(page);
  expect(watched.faults).toEqual([]);
});

async function chooseModel(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Model' }).fill(name);
  await page.getByRole('option', { name, exact: true }).click();
}
