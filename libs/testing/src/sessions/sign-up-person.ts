import { randomUUID } from 'node:crypto';

/** A person of a test's own, who has logged in to the embedded identity. */
export interface TestPerson {
  readonly email: string;
  readonly password: string;
  /** The session token. */
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Null unless the person was registered. */
  readonly accountId: string | null;
}

export interface SignUpOptions {
  /** Whether the person gets an account. Unless told otherwise, yes. */
  readonly register?: boolean;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/**
 * Signs a new person up through a gateway, and registers an account. Every call makes another person of another account, so
 * two calls are two strangers. Throws what the gateway answered instead.
 */
export async function signUpPerson(
  baseUrl: string,
  { register = true }: SignUpOptions = {},
): Promise<TestPerson> {
  const email = `person-${randomUUID()}@example.com`;
  const password = `pw-${randomUUID()}`;
  const body = { email, password, refresh_token_in: 'body' };
  const tokens = (await postJson(baseUrl, '/v1/auth/sign-up', body)) as Tokens;
  const accessToken = tokens.access_token;
  const account = register
    ? ((await postJson(baseUrl, '/v1/account/register', {}, accessToken)) as { id: string })
    : null;
  return { email, password, accessToken, refreshToken: tokens.refresh_token, accountId: account?.id ?? null };
}

/** Ends a person's session: the tokens stay well formed and signed, and are good for nothing. */
export async function logOutPerson(baseUrl: string, person: Pick<TestPerson, 'refreshToken'>): Promise<void> {
  await postJson(baseUrl, '/v1/auth/log-out', { refresh_token: person.refreshToken });
}

async function postJson(baseUrl: string, path: string, body: object, token?: string): Promise<unknown> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
