import { QueryClient } from '@tanstack/react-query';
import createClient from 'openapi-fetch';
import { parseApiError, toApiError } from './api-error.ts';
import type { paths } from './generated/openapi.ts';

/** Returns the access token of the login session. Null while no person is signed in. */
interface TokenSource {
  token(): Promise<string | null>;
  /** Returns a replacement for an access token that the gateway rejected. */
  renew(rejected: string): Promise<string | null>;
}

let tokenSource: TokenSource = { token: () => Promise.resolve(null), renew: () => Promise.resolve(null) };

/**
 * Connects the API client to the login session. This function exists because the folder `api` must not import
 * the code of the login session. Callers must call this function before the first request to the gateway.
 */
export function setTokenSource(source: TokenSource): void {
  tokenSource = source;
}

/**
 * Adds the access token to a request. If the gateway rejects the access token, the middleware renews the token
 * and repeats the request once.
 */
async function fetchAsPerson(request: Request): Promise<Response> {
  const again = request.clone();
  const token = await tokenSource.token();
  const response = await fetch(withToken(request, token));
  if (token === null || !(await rejectsToken(response))) return response;
  const renewed = await tokenSource.renew(token);
  return renewed === null ? response : fetch(withToken(again, renewed));
}

/**
 * Whether the gateway has rejected the access token. A wrong password also causes status 401, but then the
 * request must not be repeated.
 */
async function rejectsToken(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return parseApiError(response.status, body, null).code !== 'invalid_credentials';
}

function withToken(request: Request, token: string | null): Request {
  if (token !== null && !request.headers.has('authorization'))
    request.headers.set('authorization', `Bearer ${token}`);
  return request;
}

/** The gateway's API, typed by its OpenAPI document. Callers read each response with the function `unwrap`. */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: fetchAsPerson });

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the body of a successful response. Throws an `ApiError` for all other responses. */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer.catch((cause: unknown) => {
    throw toApiError(cause);
  });
  if (response.ok && data !== undefined && data !== null) return data;
  throw parseApiError(response.status, error, response.headers.get('x-request-id'));
}

const retriesMax = 2;

/**
 * Returns whether a failed request should be retried. Requests are not retried after a client error. Requests
 * are retried after network errors and after the statuses 429 and 5xx.
 */
function shouldRetry(failures: number, error: unknown): boolean {
  const { status } = toApiError(error);
  return failures < retriesMax && (status === 0 || status === 429 || status >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: shouldRetry, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});
