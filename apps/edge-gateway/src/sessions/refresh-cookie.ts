import type { FastifyReply, FastifyRequest } from 'fastify';

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
