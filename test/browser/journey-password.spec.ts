import { randomUUID } from 'node:crypto';
import { sharedStack, signUpPerson, startStack, type StackUnderTest } from '@gateway/testing';
import type { Browser, Page } from 'playwright-core';
import {
  readLink,
  startMailServer,
  type MailServer,
  type ReceivedMail,
} from '../integration/account/mail-server.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { connectBrowser, findBarriers, openPage, signIn, type WatchedPage } from './page.fixture.ts';

const look = { scheme: 'light', width: 1600 } as const;
const undo: Undo[] = [];

let browser: Browser;
let mailServer: MailServer;
let stack: StackUnderTest;
let watched: WatchedPage;
let page: Page;

/** The shared stack sends no email, so this test file starts a separate stack. */
beforeAll(async () => {
  browser = await connectBrowser();
  undo.push(() => browser.close());
  mailServer = await startMailServer();
  undo.push(() => mailServer.close());
  stack = await startStack({
    env: {
      account: {
        SMTP_URL: mailServer.url,
        MAIL_FROM: 'Agent gateway <noreply@gateway.example>',
        PUBLIC_URL: 'https://gateway.example',
      },
    },
  });
  undo.push(() => stack.stop());
}, 240_000);
afterAll(() => undoAll(undo), 120_000);
afterEach(async () => {
  expect(watched.faults).toEqual([]);
  await watched.close();
});

async function open(baseUrl = stack.baseUrl): Promise<void> {
  watched = await openPage(browser, look, { baseUrl });
  page = watched.page;
}

const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
const expectNoBarriers = async () => expect(await findBarriers(page)).toEqual([]);

async function receive(email: string, path: string): Promise<ReceivedMail> {
  return eventually(() =>
    mailServer.mails.findLast(({ to, text }) => to.includes(email) && text.includes(path)),
  );
}

/**
 * Opens a link from an email, with the address of this test file's stack. The link in the email contains a
 * different port, because the stack's port is not known in advance.
 */
async function openLink(mail: ReceivedMail): Promise<void> {
  const { path, token } = readLink(mail);
  await page.goto(`${path}#token=${token}`);
}

test('a person resets a forgotten password with the link in an email and signs in', async () => {
  const { email } = await signUpPerson(stack.baseUrl);
  const password = `pw-${randomUUID()}`;
  await open();
  await page.goto('/dashboard/sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading('Forgot your password?');
  await expectNoBarriers();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByRole('status').getByText(email).waitFor();

  await openLink(await receive(email, '/dashboard/reset-password'));
  await heading('Choose a new password');
  await expectNoBarriers();
  // The token must not stay in the address bar or the browser history.
  expect(new URL(page.url()).hash).toBe('');
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await heading('Sign in');
  await page.getByText('Your password is changed.').waitFor();
  expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(email).first().waitFor();
  // The user received the link by email, so opening the link also verifies the email address.
  expect(await page.getByText('Verify your e-mail address').count()).toBe(0);
});

test('a person verifies the e-mail address with the link in an email, and the banner disappears', async () => {
  const person = await signUpPerson(stack.baseUrl);
  await open();
  await signIn(watched, person);
  await page.goto('/dashboard/account');
  await page.getByText('Verify your e-mail address').waitFor();
  await expectNoBarriers();
  const before = mailServer.mails.length;
  await page.getByRole('button', { name: 'Send the mail again' }).click();
  await page.getByText('Another mail is on its way.').waitFor();
  await eventually(() => (mailServer.mails.length > before ? true : null));
  await openLink(await receive(person.email, '/dashboard/verify-email'));
  await heading('Verify your e-mail address');
  await expectNoBarriers();
  await page.getByRole('button', { name: 'Verify address' }).click();
  await page.getByText(`${person.email} is verified.`).waitFor();
  await page.getByRole('link', { name: 'Go to the dashboard' }).click();
  // The page behind the link also displays the email address and the text `Verify your e-mail address`.
  // The test waits for the dashboard to open.
  await page.getByRole('navigation').first().waitFor();
  await page.getByText(person.email).first().waitFor();
  expect(await page.getByText('Verify your e-mail address').count()).toBe(0);
});

test('the page for an incomplete link reports that the link is incomplete', async () => {
  await open();
  await page.goto('/dashboard/reset-password');
  await page.getByRole('alert').getByText('The link is incomplete').waitFor();
  await page.goto('/dashboard/verify-email');
  await page.getByRole('alert').getByText('The link is incomplete').waitFor();
});

test('without a mail server, the page for forgotten passwords refers to the operator', async () => {
  await open(sharedStack().baseUrl);
  await page.goto('/dashboard/forgot-password');
  await page.getByText('This gateway cannot send e-mail. Ask its operator').waitFor();
  await expectNoBarriers();
});
