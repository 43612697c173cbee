import { requestDetail } from '@gateway/contracts';
import { sharedStack, signUpPerson, type TestPerson } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import { send } from '../e2e/http.fixture.ts';
import { waitForRow } from '../e2e/account.fixture.ts';
import { callFor } from '../e2e/governance.fixture.ts';
import { connectBrowser, goTo, openPage, shoot, signIn, type WatchedPage } from './page.fixture.ts';

const look = { width: 1600, scheme: 'light' } as const;

let browser: Browser;
let person: TestPerson;
let watched: WatchedPage;

beforeAll(async () => {
  browser = await connectBrowser();
  const { baseUrl } = sharedStack();
  person = await signUpPerson(baseUrl);
  const body = { policy: { shadow_share: 0 } };
  await send(baseUrl, { method: 'PATCH', path: '/v1/account/me', key: person.accessToken, body });
  watched = await openPage(browser, look);
  await signIn(watched, person);
}, 60_000);
afterAll(async () => {
  await watched.close();
  await browser.close();
});

/** Returns the request ids that the page shows, one per column. */
async function readRequestIds(page: Page): Promise<string[]> {
  const links = page.getByRole('link', { name: 'View full request' });
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  return hrefs.map((href) => href.replace(/^.*\//, ''));
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('form', { name: 'Next message' }).getByRole('textbox').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

const formats = [
  ['Chat completions', 'chat-completions'],
  ['Messages', 'messages'],
  ['Converse', 'converse'],
] as const;

describe.each(formats)('the playground in %s', (label, format) => {
  test.each([true, false])(
    'the playground shows the response next to the plan (streamed: %s)',
    async (isStreamed) => {
      const { page } = watched;
      await goTo(page, 'playground');
      await page.getByText(label, { exact: true }).click();
      await page.getByRole('button', { name: 'Use 40 example tools' }).click();
      await page.getByText('40 tools', { exact: true }).waitFor();
      if (!isStreamed) await page.getByRole('switch', { name: 'Stream the response' }).click();
      await ask(page, 'List my invoices of May');
      await page.getByRole('list', { name: 'Highest-ranked tools' }).waitFor();
      const [id = ''] = await readRequestIds(page);
      const detail = await callFor(requestDetail, 200, {
        path: `/v1/account/requests/${id}`,
        key: person.accessToken,
      });
      expect(detail).toMatchObject({ format, stream: isStreamed, status: 'ok', tools_in: 40 });
      expect(detail.tools_out).toBeLessThan(40);
      const plan = await page.getByRole('complementary', { name: 'Plan of the last request' }).textContent();
      expect(plan).toContain(`${detail.tools_out} / 40`);
      const [best] = detail.trace.candidates.filter(({ rank }) => rank === 1);
      expect(plan).toContain(best!.name);
      // The sandbox provider calls the tool that matches the message.
      // The user's next message is the tool result.
      const log = page.getByRole('log');
      expect(await log.textContent()).toContain(detail.called_tools[0]);
      await ask(page, '{"invoices":[]}');
      await page.getByText(`The result of ${detail.called_tools[0]} is`).waitFor();
      expect(watched.faults).toEqual([]);
    },
  );
});

test('the playground shows pruned and full tool sets side by side', async () => {
  const { page } = watched;
  await goTo(page, 'playground');
  await page.getByRole('switch', { name: 'Compare with all tools' }).click();
  await page.getByRole('button', { name: 'Use 40 example tools' }).click();
  await ask(page, 'List my invoices of May');
  await page.getByRole('list', { name: 'Highest-ranked tools' }).nth(1).waitFor();
  const [pruned, full] = await Promise.all(
    (await readRequestIds(page)).map((id) => waitForRow(sharedStack().baseUrl, person.accessToken, id)),
  );
  expect([pruned?.tools_in, full?.tools_in]).toEqual([40, 40]);
  expect(pruned!.tools_out).toBeLessThan(40);
  expect(full).toMatchObject({ tools_out: 40, k_reason: 'override' });
  await shoot(page, 'playground-compared', look);
  expect(watched.faults).toEqual([]);
});

test('the playground does not send an invalid tool list, and shows the reason', async () => {
  const { page } = watched;
  await goTo(page, 'playground');
  await page.getByLabel('Tools (JSON)').fill('[{"na');
  await page.getByText(/not JSON yet/).waitFor();
  await page.getByRole('form', { name: 'Next message' }).getByRole('textbox').fill('Hello');
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
});
