import { deviceTokensMax } from '@gateway/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';

/** Maximum length of a device token that the account service accepts, in characters. */
const deviceTokenCharsMax = 1_024;

/**
 * The prefix of cookie names on TLS connections. Browsers bind a cookie with this prefix to its host (RFC
 * 6265bis §4.1.3.2), so a neighboring host cannot set the cookie.
 */
const securePrefix = '__Host-';
const refreshName = 'svc_refresh';
const deviceName = 'svc_device';
/**
 * Separates the tokens of several users in the device cookie. Device tokens never contain this
 * separator.
 */
const separator = '~';

/**
 * Lifetime of the device cookie. The lifetime of 180 days equals the validity period of a device token. The
 * account service checks the exact validity of a device token.
 */
const deviceMaxAgeSeconds = 180 * 24 * 60 * 60;

/** Stores the refresh token in the browser as a cookie that scripts and other sites cannot read. */
export function setRefreshCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  maxAgeSeconds: number,
): void {
  addCookie(request, reply, refreshName, { value: token, maxAgeSeconds });
}

export function clearRefreshCookie(request: FastifyRequest, reply: FastifyReply): void {
  addCookie(request, reply, refreshName, { value: '', maxAgeSeconds: 0 });
}

/**
 * Returns the refresh token of the browser. Returns undefined if the request has no cookie with a refresh
 * token.
 */
export function readRefreshCookie(request: FastifyRequest): string | undefined {
  return readCookie(request, refreshName);
}

/**
 * Marks the browser as a known device of the user. The device cookie contains one token per user, newest
 * first, because users can share a browser.
 */
export function setDeviceCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  const subject = subjectOf(token);
  const others = readDeviceTokens(request).filter((other) => subjectOf(other) !== subject);
  const value = [token, ...others].slice(0, deviceTokensMax).join(separator);
  addCookie(request, reply, deviceName, { value, maxAgeSeconds: deviceMaxAgeSeconds });
}

/** Returns the browser's device tokens, which may be forged or expired. */
export function readDeviceTokens(request: FastifyRequest): string[] {
  const tokens = readCookie(request, deviceName)?.split(separator, deviceTokensMax) ?? [];
  return tokens.filter((token) => token !== '' && token.length <= deviceTokenCharsMax);
}

/**
 * Reads a token's subject without verification. The gateway uses the unverified subject only to replace the
 * user's older token.
 */
function subjectOf(token: string): string | undefined {
  try {
    return decodeJwt(token).sub;
  } catch {
    return undefined;
  }
}

function readCookie(request: FastifyRequest, name: string): string | undefined {
  const fullName = nameFor(request, name);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === fullName && value !== undefined && value !== '') return value;
  }
  return undefined;
}

function addCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  { value, maxAgeSeconds }: { readonly value: string; readonly maxAgeSeconds: number },
): void {
  const secure = isSecure(request) ? '; Secure' : '';
  const fields = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  // Fastify adds the new value to the values that the header already has.
  reply.header('set-cookie', `${nameFor(request, name)}=${value}; ${fields}`);
}

function nameFor(request: FastifyRequest, name: string): string {
  return isSecure(request) ? `${securePrefix}${name}` : name;
}

/** Returns whether the browser's connection to the gateway or to a trusted proxy uses TLS. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}
