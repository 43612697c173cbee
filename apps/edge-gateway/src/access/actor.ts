import { userAgentLengthMax, type Actor, type RequestOrigin } from '@gateway/contracts';
import type { FastifyRequest } from 'fastify';

/**
 * An IP address has at most 45 characters. The gateway limits the length of a reported client address,
 * because a trusted proxy could report any text.
 */
const addressLengthMax = 64;

/**
 * The origin of a request, for the audit log. The client address comes from `X-Forwarded-For` only if a proxy
 * in `TRUSTED_PROXIES` sent the header.
 */
export function readOrigin({
  ip,
  headers,
  id,
}: Pick<FastifyRequest, 'ip' | 'headers' | 'id'>): RequestOrigin {
  const userAgent = headers['user-agent'] ?? '';
  return {
    address: ip === '' ? null : ip.slice(0, addressLengthMax),
    userAgent: userAgent === '' ? null : userAgent.slice(0, userAgentLengthMax),
    requestId: id,
  };
}

interface Caller {
  readonly keyId: string | null;
  readonly personId: string | null;
}

/** Returns the caller of a request together with the request's origin. */
export function readActor(
  { keyId, personId }: Caller,
  request: Pick<FastifyRequest, 'ip' | 'headers' | 'id'>,
): Actor {
  return { keyId, personId, ...readOrigin(request) };
}
