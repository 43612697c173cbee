import { GatewayError } from '@gateway/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { RateLimiter } from '../../rate-limits/rate-limiter.port.ts';

export const AUTH_SETTINGS = Symbol('AUTH_SETTINGS');

/** Settings for `/v1/auth`. */
export interface AuthSettings {
  /** Maximum calls per minute and client address. */
  readonly rateLimitRpm: number;
}

/**
 * The address used for counting a client's attempts: an IPv4 address, or the /64 network of an IPv6 address,
 * because a single customer usually owns the whole network.
 */
export function chooseClientAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${Buffer.from(network).toString('hex')}/64`;
}

/** A placeholder for the account id. It has no change epoch, so only the request count matters. */
const sharedAccountId = 'people';

/** Limits calls to `/v1/auth` per minute and client address, across replicas. Throws `too_many_attempts`. */
export async function limitAuth(
  rateLimiter: RateLimiter,
  clientAddress: string,
  { rateLimitRpm }: AuthSettings,
): Promise<void> {
  const caller = { accountId: sharedAccountId, keyId: `auth:${clientAddress}`, rateLimitRpm };
  const { admitted, resetMs } = await rateLimiter.admit(caller);
  if (!admitted) throw new GatewayError('too_many_attempts', { retryAfterMs: resetMs });
}

/**
 * Throws `cross_site_request` if a browser sends the call for another site's page. Such a call could sign the
 * user in or out, or switch accounts. Programs send neither header. There are two other protections: the
 * cookie is SameSite=Strict, and browsers require permission for JSON requests from other sites. This check
 * also works in old browsers.
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

/**
 * Over TLS, this prefix binds the cookie to this host (RFC 6265bis §4.1.3.2), so a neighboring host cannot
 * set it.
 */
const secureName = '__Host-svc_refresh';
const plainName = 'svc_refresh';

/** Stores the refresh token in the browser as a cookie that scripts and other sites cannot read. */
export function setRefreshCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  maxAgeSeconds: number,
): void {
  reply.header('set-cookie', renderCookie(request, token, maxAgeSeconds));
}

export function clearRefreshCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', renderCookie(request, '', 0));
}

/** The refresh token; undefined if the request has no such cookie. */
export function readRefreshCookie(request: FastifyRequest): string | undefined {
  const name = nameFor(request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && value !== '') return value;
  }
  return undefined;
}

function renderCookie(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(request) ? '; Secure' : '';
  return `${nameFor(request)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

function nameFor(request: FastifyRequest): string {
  return isSecure(request) ? secureName : plainName;
}

/** Whether the browser's connection uses TLS, either to the gateway or to a trusted proxy. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}
