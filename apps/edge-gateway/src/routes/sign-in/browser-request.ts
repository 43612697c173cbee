import ipaddr from 'ipaddr.js';
import { GatewayError } from '@gateway/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter } from '../../rate-limits/rate-limiter.port.ts';

/**
 * The address by which a client's attempts are counted: an IPv4 address, or the /64 network of an IPv6 one, all of which
 * is one customer's.
 */
export function chooseClientAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${Buffer.from(network).toString('hex')}/64`;
}

/** What of the configuration `/v1/auth` goes by. */
export interface AuthSettings {
  /** Calls a minute and client address. */
  readonly rateLimitRpm: number;
}

/** No account's: it has no epoch, so nothing but the count is looked at. */
const nobody = 'people';

/** Calls of `/v1/auth` a minute and client address, across replicas. Throws `too_many_attempts`. */
export async function limitAuth(
  rateLimiter: RateLimiter,
  clientAddress: string,
  { rateLimitRpm }: AuthSettings,
): Promise<void> {
  const caller = { accountId: nobody, keyId: `auth:${clientAddress}`, rateLimitRpm };
  const { admitted, resetMs } = await rateLimiter.admit(caller);
  if (!admitted) throw new GatewayError('too_many_attempts', { retryAfterMs: resetMs });
}

/**
 * Throws `cross_site_request` for a call that a browser makes on behalf of another site's page: it could log somebody in,
 * out, or as somebody else. Programs send neither header. The cookie is SameSite=Strict, and the bodies are JSON, which
 * another site's page may not send without asking first; this is the third line, and holds for old browsers too.
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

/** Over TLS the name binds the cookie to this very host (RFC 6265bis §4.1.3.2): no neighbour can plant one. */
const secureName = '__Host-svc_refresh';
const plainName = 'svc_refresh';

/** The refresh token of a browser, out of reach of scripts and of other sites. */
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

/** Undefined without one. */
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

/** Whether the browser's own connection is TLS: to us, or to a proxy that is trusted to say so. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}
