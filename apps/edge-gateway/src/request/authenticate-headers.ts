import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@gateway/errors';
import { keySha256, parseApiKey } from '@gateway/interchange';
import { requireUnexpired, type GrantCache } from '../grants/grant-cache.ts';
import { looksLikeSessionToken } from '../login-sessions/login-session.ts';
import type { Caller } from './request.ts';

/**
 * Finds the grant for the API key in the headers. The checksum of a mistyped key does not match, so the
 * mistyped key is rejected without a lookup.
 * @throws GatewayError `missing_api_key`, `invalid_api_key`, `expired_api_key`, or `api_key_required` for a
 * login token
 */
export async function authenticateHeaders(headers: IncomingHttpHeaders, grants: GrantCache): Promise<Caller> {
  const key = presentedKey(headers);
  if (key === undefined) throw new GatewayError('missing_api_key');
  if (!parseApiKey(key).valid)
    throw new GatewayError(looksLikeSessionToken(key) ? 'api_key_required' : 'invalid_api_key');
  const digest = keySha256(key);
  const grant = grants.peek(digest) ?? (await grants.get(digest));
  if (!grant) throw new GatewayError('invalid_api_key');
  return requireUnexpired(grant);
}

/**
 * Reads the API key from `Authorization: Bearer`, or otherwise from `x-api-key`. Clients that use the
 * messages format send `x-api-key`.
 */
function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) {
    if (authorization.length <= 7 || authorization.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
    return authorization.slice(7).trim();
  }
  const header = headers['x-api-key'];
  return typeof header === 'string' && header !== '' ? header : undefined;
}
