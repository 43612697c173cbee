import createClient from 'openapi-fetch';
import { session } from '../session/session.ts';
import { parseApiError, toApiError } from './api-error.ts';
import type { components, paths } from './generated/openapi.ts';

/** Named schemas of the OpenAPI document. */
export type Schemas = components['schemas'];

/** Adds the session token. One that the gateway refuses is renewed once, and the call made again. */
async function fetchAsPerson(request: Request): Promise<Response> {
  const again = request.clone();
  const token = await session.token();
  const response = await fetch(withToken(request, token));
  if (token === null || !(await refusesToken(response))) return response;
  const renewed = await session.renew(token);
  return renewed === null ? response : fetch(withToken(again, renewed));
}

/** Whether the token is what was refused, and not a password that somebody typed: that would be tried twice. */
async function refusesToken(response: Response): Promise<boolean> {
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

/** The gateway's API, typed by its own description. Calls answer `{ data, error, response }`: see `unwrap`. */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: fetchAsPerson });

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of an answer that succeeded. Throws ApiError for any other. */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer.catch((cause: unknown) => {
    throw toApiError(cause);
  });
  if (response.ok && data !== undefined && data !== null) return data;
  throw parseApiError(response.status, error, response.headers.get('x-request-id'));
}
