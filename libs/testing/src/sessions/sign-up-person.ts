import { randomUUID } from 'node:crypto';

/** A person created for one test, logged in through the embedded identity service. */
export interface TestPerson {
  readonly email: string;
  readonly password: string;
  /** The person's session token. */
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The id of the person's account. Null if the person has no account. */
  readonly accountId: string | null;
}

export interface SignUpOptions {
  /** Whether to register an account for the person. The default is true. */
  readonly register?: boolean;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/**
 * Signs up a new user through a gateway and registers an account. Each call creates an independent user and
 * account. Throws an error with the gateway's response if a step fails.
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

/**
 * Ends a person's login session. The tokens of the login session remain well-formed and validly signed, but
 * are no longer accepted.
 */
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
  if (!response.ok) throw new Error(`POST ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text);
}
