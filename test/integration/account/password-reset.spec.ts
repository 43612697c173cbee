import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownAccount, session as sessionSchema } from '@gateway/contracts';
import { signUpPerson, startStack, type StackUnderTest } from '@gateway/testing';
import pg from 'pg';
import { readSecrets } from '../../../tools/bootstrap/stack/secrets.ts';
import { openDataDir } from '../../../tools/bootstrap/stack/data-dir.ts';
import { expectError } from '../../e2e/errors.fixture.ts';
import { send, type Answer } from '../../e2e/http.fixture.ts';
import { findInLogs } from '../../e2e/logs.fixture.ts';
import { eventually, undoAll, type Undo } from '../stack.fixture.ts';
import { readLink, startMailServer, type MailServer, type ReceivedMail } from './mail-server.fixture.ts';

const undo: Undo[] = [];
const publicUrl = 'https://gateway.example';
const invalidToken = { status: 400, type: 'invalid_request_error', code: 'invalid_mail_token' };
const wrong = { status: 401, type: 'authentication_error', code: 'invalid_credentials' };
const blocked = { status: 429, type: 'rate_limit_error', code: 'too_many_attempts' };
const root = join(import.meta.dirname, '../../..');

let stack: StackUnderTest;
let mailServer: MailServer;
let baseUrl: string;
let lastAddress = 0;
const tokens: string[] = [];

beforeAll(async () => {
  mailServer = await startMailServer();
  undo.push(() => mailServer.close());
  stack = await startStack({
    apps: ['edge-gateway', 'account'],
    env: {
      'edge-gateway': { TRUSTED_PROXIES: '127.0.0.0/8', AUTH_RATE_LIMIT_RPM: '100000' },
      account: { SMTP_URL: mailServer.url, MAIL_FROM: 'noreply@gateway.example', PUBLIC_URL: publicUrl },
    },
  });
  undo.push(() => stack.stop());
  ({ baseUrl } = stack);
}, 240_000);
afterAll(() => undoAll(undo), 120_000);

const newPassword = () => `pw-${randomUUID()}`;
/** Returns a client address in a network that no other test uses. */
const newAddress = () => {
  lastAddress += 1;
  return `198.${18 + (lastAddress >> 8)}.${lastAddress & 255}.1`;
};
const auth = (name: string, body: unknown, headers: Record<string, string> = {}) =>
  send(baseUrl, {
    path: `/v1/auth/${name}`,
    body,
    headers: { 'x-forwarded-for': newAddress(), ...headers },
  });
const logIn = (email: string, password: string, headers: Record<string, string> = {}) =>
  auth('log-in', { email, password, refresh_token_in: 'body' }, headers);
const me = (key: string) => send(baseUrl, { path: '/v1/account/me', key });
const mailsTo = (email: string, path: string): ReceivedMail[] =>
  mailServer.mails.filter(({ to, text }) => to.includes(email) && text.includes(path));

async function takeToken(email: string, path: string, count = 1): Promise<string> {
  const mail = await eventually(() => mailsTo(email, path)[count - 1]);
  const { origin, token } = readLink(mail);
  expect(origin).toBe(publicUrl);
  tokens.push(token);
  return token;
}

function deviceCookieOf({ headers }: Answer): string {
  const cookie = headers['set-cookie']?.find((each) => /^(__Host-)?svc_device=/.test(each)) ?? '';
  return cookie.split(';')[0] ?? '';
}

describe('a forgotten password', () => {
  it('a forgotten password is replaced through a link that works once, ends all login sessions and revokes device tokens', async () => {
    const person = await signUpPerson(baseUrl);
    const { email } = person;
    const before = deviceCookieOf(await logIn(email, person.password));
    expect(before).not.toBe('');
    expect((await auth('forgot-password', { email: ` ${email.toUpperCase()} ` })).status).toBe(202);
    const token = await takeToken(email, '/dashboard/reset-password');
    const short = { status: 400, type: 'invalid_request_error', code: 'invalid_field' };
    const weak = await auth('reset-password', { token, new_password: 'short' });
    expectError(weak, { ...short, param: 'new_password' });

    const passwords = [newPassword(), newPassword()];
    const resets = await Promise.all(
      passwords.map((new_password) => auth('reset-password', { token, new_password })),
    );
    expect(resets.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const good = resets.findIndex(({ status }) => status === 200);
    const password = passwords[good]!;
    expect(resets[good]!.json()).toEqual({ object: 'password.reset', reset: true, email });
    expectError(await auth('reset-password', { token, new_password: newPassword() }), invalidToken);

    await eventually(async () => ((await me(person.accessToken)).status === 401 ? true : null));
    expect((await auth('refresh', { refresh_token: person.refreshToken })).status).toBe(401);
    expectError(await logIn(email, person.password), wrong);
    expect((await logIn(email, password)).status).toBe(200);

    // The old device token is invalid, and the new device token has a separate budget for wrong passwords.
    const address = { 'x-forwarded-for': newAddress() };
    for (let n = 0; n < 5; n++) await logIn(email, newPassword(), address);
    expectError(await logIn(email, password, { ...address, cookie: before }), blocked);
    const fresh = deviceCookieOf(resets[good]!);
    expect((await logIn(email, password, { ...address, cookie: fresh })).status).toBe(200);
  }, 60_000);

  it('an unknown address gets no email, but the same response in the same time as a known address', async () => {
    const { email } = await signUpPerson(baseUrl);
    const unknown = `nobody-${randomUUID()}@example.com`;
    const times: Record<string, number[]> = { [email]: [], [unknown]: [] };
    const texts = new Set<string>();
    for (let n = 0; n < 8; n++) {
      for (const each of [email, unknown]) {
        const from = performance.now();
        const answer = await auth('forgot-password', { email: each });
        times[each]?.push(performance.now() - from);
        texts.add(`${answer.status} ${answer.text}`);
      }
    }
    expect([...texts]).toEqual(['202 {"object":"password_reset.requested","requested":true}']);
    const [known, other] = Object.values(times).map((each) => Math.min(...each));
    expect(known).toBeLessThan(other! * 3);
    expect(other).toBeLessThan(known! * 3);
    await takeToken(email, '/dashboard/reset-password');
    expect(mailServer.mails.filter(({ to }) => to.includes(unknown))).toEqual([]);
    // The limit on emails prevents an attacker from flooding the user's mailbox.
    expect(mailsTo(email, '/dashboard/reset-password').length).toBeLessThanOrEqual(3);
  }, 60_000);

  it('a password reset can be requested only a few times from one client address', async () => {
    const address = { 'x-forwarded-for': newAddress() };
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const body = { email: `nobody-${randomUUID()}@example.com` };
      statuses.push((await auth('forgot-password', body, address)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), 429, 429]);
  });

  it('an expired link is rejected, and a user has at most five links from the operator, each valid for one day', async () => {
    const { email } = await signUpPerson(baseUrl);
    await auth('forgot-password', { email });
    const token = await takeToken(email, '/dashboard/reset-password');
    await query(`UPDATE identity_mail_tokens SET expires_at = now() - interval '1 second'`);
    expectError(await auth('reset-password', { token, new_password: newPassword() }), invalidToken);
    const person = await signUpPerson(baseUrl);
    for (let n = 0; n < 7; n++) await runOperator('reset-password', person.email);
    const [row] = await query(
      `SELECT count(*)::int AS links, max(expires_at - tokens.created_at)::text AS lifetime
       FROM identity_mail_tokens AS tokens JOIN identity_users ON identity_users.id = user_id
       WHERE email = '${person.email}' AND purpose = 'reset-password'`,
    );
    expect(row).toEqual({ links: 5, lifetime: '1 day' });
  }, 60_000);

  it('a forgotten password can be replaced without email through a link from the operator’s command line', async () => {
    const { email } = await signUpPerson(baseUrl);
    const printed = await runOperator('reset-password', email.toUpperCase());
    const token = /^https:\/\/gateway\.example\/dashboard\/reset-password#token=(\S+)$/m.exec(printed)?.[1];
    const password = newPassword();
    expect((await auth('reset-password', { token, new_password: password })).status).toBe(200);
    const session = sessionSchema.parse((await logIn(email, password)).json());
    // The operator received the link, so the link does not verify the email address.
    expect(session.email_verified).toBe(false);
    tokens.push(token ?? '');
    await expect(runOperator('reset-password', 'nobody@example.com')).rejects.toThrow(
      'No user has this e-mail address',
    );
    await expect(runOperator('delete', email)).rejects.toThrow('usage');
  }, 60_000);
});

describe('an e-mail address', () => {
  it('an e-mail address is verified through a link in an email that sign-up sends', async () => {
    const person = await signUpPerson(baseUrl);
    const { email } = person;
    const readPerson = async () => ownAccount.parse((await me(person.accessToken)).json()).person;
    expect(await readPerson()).toEqual({ email, email_verified: false });
    const token = await takeToken(email, '/dashboard/verify-email');
    expectError(await auth('reset-password', { token, new_password: newPassword() }), invalidToken);
    const verified = await auth('verify-email', { token });
    expect(verified.json()).toEqual({ object: 'email.verified', verified: true, email });
    expectError(await auth('verify-email', { token }), invalidToken);
    expect(await readPerson()).toEqual({ email, email_verified: true });
    expect(sessionSchema.parse((await logIn(email, person.password)).json()).email_verified).toBe(true);
  }, 60_000);

  it('an unverified e-mail address gets another email on request', async () => {
    const { email, accessToken } = await signUpPerson(baseUrl);
    await takeToken(email, '/dashboard/verify-email');
    const resend = () =>
      send(baseUrl, { method: 'POST', path: '/v1/auth/resend-verification', key: accessToken });
    expect((await resend()).status).toBe(202);
    await auth('verify-email', { token: await takeToken(email, '/dashboard/verify-email', 2) });
    expect((await resend()).status).toBe(202);
    // Emails are sent in order, so the arrival of a later email proves that no verification email was sent.
    await auth('forgot-password', { email });
    await takeToken(email, '/dashboard/reset-password');
    expect(mailsTo(email, '/dashboard/verify-email')).toHaveLength(2);
  }, 60_000);

  it('a password reset through the mailbox verifies an e-mail address, and the operator can also verify an address', async () => {
    const [first, second] = [await signUpPerson(baseUrl), await signUpPerson(baseUrl)];
    await auth('forgot-password', { email: first.email });
    const token = await takeToken(first.email, '/dashboard/reset-password');
    const password = newPassword();
    expect((await auth('reset-password', { token, new_password: password })).status).toBe(200);
    expect(await runOperator('verify-email', second.email)).toContain('is verified');
    const sessions = await Promise.all([logIn(first.email, password), logIn(second.email, second.password)]);
    for (const answer of sessions) expect(sessionSchema.parse(answer.json()).email_verified).toBe(true);
  }, 60_000);
});

it('the dashboard’s configuration shows that the gateway sends email', async () => {
  const answer = await send(baseUrl, { path: '/dashboard/config.json' });
  expect(answer.json()).toMatchObject({ sign_in: { kind: 'embedded', sends_mail: true } });
});

it('the token of a link is never logged, and never stored in plaintext', async () => {
  expect(tokens.length).toBeGreaterThan(5);
  expect(findInLogs(stack, tokens)).toEqual([]);
  expect(
    findInLogs(
      stack,
      tokens.map((token) => token.slice(7)),
    ),
  ).toEqual([]);
  const { email } = await signUpPerson(baseUrl);
  const token = await takeToken(email, '/dashboard/verify-email');
  const rows = await query('SELECT t::text AS row FROM identity_mail_tokens t');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
  expect(JSON.stringify(rows)).not.toContain(token.slice(7));
});

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: stack.dev.postgres.account });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Runs the operator's command as in the container of the account service. The built file is run with the
 * account service's environment variables.
 */
async function runOperator(...args: readonly string[]): Promise<string> {
  const script = join(root, 'dist/apps/account/operator.command.js');
  const env = {
    PATH: process.env['PATH'],
    ACCOUNT_DATABASE_URL: stack.dev.postgres.account,
    SESSION_SECRET: readSecrets(openDataDir(stack.dataDir)).sessionSecret,
    PUBLIC_URL: publicUrl,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env, cwd: root });
  return stdout;
}
