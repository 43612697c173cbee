import type { RequestOrigin } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { readOrigin } from '../../access/actor.ts';
import type { LoginSession } from '../../login-sessions/login-session.ts';
import type { RateLimiter } from '../../rate-limits/rate-limiter.port.ts';

export const AUTH_SETTINGS = Symbol('AUTH_SETTINGS');

/** Settings for `/v1/auth`. */
export interface AuthSettings {
  /** Maximum number of calls per minute and client address. */
  readonly rateLimitRpm: number;
}

/**
 * Maximum length of a request body in bytes. Callers of `/v1/auth` are not authenticated yet, so the maximum
 * body length is small.
 */
export const bodyBytesMax = 16 * 1024;

/**
 * Returns the address against which a client's attempts are counted. The returned address is an IPv4 address,
 * or the /64 network of an IPv6 address, because a single customer usually owns the whole network.
 */
export function chooseClientAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${Buffer.from(network).toString('hex')}/64`;
}

/**
 * An account id for rate limits of callers that are not signed in. No epoch (change number) exists for this id, so
 * the rate limiter only counts requests.
 */
const sharedAccountId = 'people';

/** The client that calls `/v1/auth`. */
export interface Client {
  /** The address or network against which failed attempts are counted. */
  readonly clientAddress: string;
  /** The origin of the request, recorded in the audit log. */
  readonly origin: RequestOrigin;
}

/**
 * Checks the origin and the rate limit of a call to `/v1/auth`. Throws `cross_site_request` if a page from
 * another site caused the call. Throws `too_many_attempts` if the rate limit is exceeded.
 */
export async function admitClient(
  request: FastifyRequest,
  rateLimiter: RateLimiter,
  settings: AuthSettings,
  deviceId: string | null = null,
): Promise<Client> {
  requireSameSite(request);
  const clientAddress = chooseClientAddress(request.ip);
  await limitAuth(rateLimiter, { clientAddress, deviceId }, settings);
  return { clientAddress, origin: readOrigin(request) };
}

/** Throws `invalid_session_token` for a login session from another issuer. */
export function requireEmbedded({ subject, sessionId }: LoginSession): {
  subject: string;
  sessionId: string;
} {
  if (sessionId === null) throw new GatewayError('invalid_session_token');
  return { subject, sessionId };
}

/**
 * Limits calls to `/v1/auth` per minute and client address, across replicas. Calls from a known device count only
 * against the limit of the device. Other users at the same address cannot use up the limit of the device. Throws
 * `too_many_attempts` if the limit is exceeded.
 */
async function limitAuth(
  rateLimiter: RateLimiter,
  { clientAddress, deviceId }: { readonly clientAddress: string; readonly deviceId: string | null },
  { rateLimitRpm }: AuthSettings,
): Promise<void> {
  const counted = deviceId === null ? `auth:${clientAddress}` : `auth-device:${deviceId}`;
  const caller = { accountId: sharedAccountId, keyId: counted, rateLimitRpm };
  const { admitted, resetMs } = await rateLimiter.admit(caller);
  if (!admitted) throw new GatewayError('too_many_attempts', { retryAfterMs: resetMs });
}

/**
 * Throws `cross_site_request` if a page from another site makes the browser send the call. Without the check,
 * another site could sign the user in or out, or switch accounts. Only browsers send the two headers that the
 * function checks. Modern browsers also protect users through the SameSite=Strict cookie and through their own
 * checks of cross-site JSON requests. The header check also protects users of old browsers.
 */
export function requireSameSite({ headers, host }: Pick<FastifyRequest, 'headers' | 'host'>): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new GatewayError('cross_site_request');
  if (headers.origin !== undefined && hostOf(headers.origin) !== host)
    throw new GatewayError('cross_site_request');
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
