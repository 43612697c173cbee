import { GatewayError } from '@gateway/errors';

/** RFC 3339 → a time that lies ahead of `now`; null is none. Throws `invalid_field` for any other. */
export function parseExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const expiresAt = new Date(text);
  if (Number.isNaN(expiresAt.getTime()) || expiresAt <= now) {
    throw new GatewayError('invalid_field', { param: 'expires_at', message: 'expires_at must lie ahead.' });
  }
  return expiresAt;
}
