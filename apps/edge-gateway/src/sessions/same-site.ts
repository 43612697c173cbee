import { GatewayError } from '@gateway/errors';
import type { FastifyRequest } from 'fastify';

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
