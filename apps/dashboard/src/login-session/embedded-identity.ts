import { ApiError, parseApiError, toApiError } from '../api/api-error.ts';
import type { Identity, Tokens } from './login-session.ts';
import { forgetMark, isMarked, setMark } from './login-session.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The type of the sign-in response. The OpenAPI document gives this type no name. */
interface SessionAnswer {
  readonly access_token: string;
  readonly expires_in: number;
  readonly email: string;
}

/** Sign-in by email and password. The refresh token is in an HttpOnly cookie, which scripts cannot read. */
export class EmbeddedIdentity implements Identity {
  mayHaveSession(): boolean {
    return isMarked();
  }

  /**
   * Browser tabs renew the token one after another, because a refresh token that is used twice ends the login
   * session.
   */
  async renew(): Promise<Tokens | null> {
    return inTurn(async () => {
      try {
        return parseTokens(await post('/v1/auth/refresh', {}));
      } catch (error) {
        if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
          forgetMark();
          return null;
        }
        throw error;
      }
    });
  }

  async end(): Promise<void> {
    forgetMark();
    await inTurn(() => post('/v1/auth/log-out', {}));
  }

  async logIn(credentials: Credentials): Promise<Tokens> {
    const tokens = parseTokens(await post('/v1/auth/log-in', credentials));
    setMark();
    return tokens;
  }

  async signUp(credentials: Credentials): Promise<Tokens> {
    const tokens = parseTokens(await post('/v1/auth/sign-up', credentials));
    setMark();
    return tokens;
  }
}

function parseTokens(body: unknown): Tokens {
  const { access_token, expires_in, email } = body as SessionAnswer;
  return { accessToken: access_token, expiresInMs: expires_in * 1000, email };
}

async function post(path: string, body: unknown): Promise<unknown> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw toApiError(error);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw parseApiError(response.status, answer, response.headers.get('x-request-id'));
  return answer;
}

/**
 * The Web Locks API exists only in secure contexts. On a page served over plain HTTP, the access token is renewed
 * without a lock.
 */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (!('locks' in navigator)) return work();
  return navigator.locks.request('svc-session', work);
}
