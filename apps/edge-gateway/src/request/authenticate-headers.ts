import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@gateway/errors';
import { keySha256, parseApiKey } from '@gateway/interchange';
import { requireUnexpired, type GrantCache } from '../grants/grant-cache.ts';
import { looksLikeSessionToken } from '../login-sessions/login-session.ts';
import type { Caller } from './request.ts';

/**
 * Finds the grant for the API key in the headers. A mistyped key fails its checksum, so the gateway rejects it
 * without a lookup.
 * @throws GatewayError `missing_api_key`, `invalid_api_key`, `expired_api_key`, or `api_key_required` for a
 * login token
 */
export async function authenticateHeaders(headers: IncomingHttpHeaders, grants: GrantCache): Promise<Caller> {
  const key = presentedKey(headers);
  if (key === undefined) throw explainMissingKey(headers.authorization);
  if (!parseApiKey(key).valid) throw explainInvalidKey(key);
  const digest = keySha256(key);
  const grant = grants.peek(digest) ?? (await grants.get(digest));
  if (!grant) throw new GatewayError('invalid_api_key');
  return requireUnexpired(grant);
}

/** Returns different errors for missing credentials and for a header in an unsupported form. */
function explainMissingKey(authorization: string | undefined): GatewayError {
  if (authorization === undefined) return new GatewayError('missing_api_key');
  const isSigned = authorization.startsWith('AWS4-HMAC-SHA256');
  const message = isSigned
    ? 'The request is signed with AWS Signature Version 4, which the gateway does not accept. Use bearer authentication with a key of this gateway.'
    : 'The Authorization header is not in the form "Authorization: Bearer sk-svc-…".';
  return new GatewayError('missing_api_key', { message });
}

/** The prefix of provider API keys. */
const providerKeyForm = /^(?:sk-(?:ant|proj|or|svcacct|admin)-|AIza|gsk_|xai-|hf_|pplx-|nvapi-|ABSK)/;

/**
 * Recognizes session tokens and provider keys by their form. Other invalid keys share one error text, so that the
 * text does not reveal whether a key ever existed.
 */
function explainInvalidKey(key: string): GatewayError {
  if (looksLikeSessionToken(key)) return new GatewayError('api_key_required');
  if (!providerKeyForm.test(key)) return new GatewayError('invalid_api_key');
  const message =
    'This is the key of a provider, not a key of this gateway. Keys of this gateway start with "sk-svc-". Save keys of providers with PUT /v1/account/providers.';
  return new GatewayError('invalid_api_key', { message });
}

/**
 * Reads the API key from the header `Authorization` (with `Bearer`), or else from `x-api-key`. Clients of the
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
