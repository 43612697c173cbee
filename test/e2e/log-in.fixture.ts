import { sharedStack } from '@gateway/testing';
import { randomInt, randomUUID } from 'node:crypto';
import { send, type Answer } from './http.fixture.ts';

const { baseUrl } = sharedStack();

export const blocked = { status: 429, type: 'rate_limit_error', code: 'too_many_attempts' };
export const wrong = { status: 401, type: 'authentication_error', code: 'invalid_credentials' };

/** Creates a random password. A later test searches all output of the test run for the passwords. */
export const newPassword = () => `pw-${randomUUID()}`;

/** The random start of all client addresses in this test file, so that test files rarely share a network. */
const fileNetwork = `100.${randomInt(64, 128)}`;
let lastAddress = 0;

/**
 * Returns a client address that no other test uses. Each group of 250 consecutive addresses shares one
 * network.
 */
export function newAddress(): string {
  lastAddress += 1;
  return `${fileNetwork}.${Math.floor(lastAddress / 250)}.${lastAddress % 250}`;
}

export const auth = (name: string, body: unknown, headers: Record<string, string> = {}, at = baseUrl) =>
  send(at, { path: `/v1/auth/${name}`, body, headers });

export const logIn = (email: string, password: string, address = newAddress(), cookie?: string) =>
  auth(
    'log-in',
    { email, password, refresh_token_in: 'body' },
    { 'x-forwarded-for': address, ...(cookie === undefined ? {} : { cookie }) },
  );

/** Returns the device cookie from a response, in the form in which a browser sends it back. */
export function deviceCookieOf({ headers }: Pick<Answer, 'headers'>): string {
  const cookie = headers['set-cookie']?.find((each) => /^(__Host-)?svc_device=/.test(each));
  return cookie?.split(';')[0] ?? 'none';
}
