import { hash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/**
 * Matches a text of 1 to 255 visible ASCII characters. Other APIs commonly use the same length limit for
 * idempotency keys.
 */
const shape = /^[\x21-\x7e]{1,255}$/;

/** The request header with the idempotency key, as documented in the API reference. */
export const idempotencyHeaders = z.object({
  'Idempotency-Key': z.string().optional().meta({
    description:
      'A random text that the caller chooses, such as a UUID, of at most 255 characters. For 24 hours, the same key with the same request returns the first response, including secrets, with `Idempotent-Replayed: true`. The same key with a different request is a 422 `idempotency_key_reused`. A failed call may be repeated with the same key.',
  }),
});

/** The response header for a replayed response, as documented in the API reference. */
export const replayedHeaders = {
  'Idempotent-Replayed':
    '`true` when the response repeats that of an earlier call with the same `Idempotency-Key`.',
};

/**
 * Returns the SHA-256 of the request's `Idempotency-Key` header in hex. Returns undefined if the header is
 * missing. Throws `invalid_field` if the header is not valid.
 */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && shape.test(key)) return hash('sha256', key);
  throw new GatewayError('invalid_field', {
    param: 'Idempotency-Key',
    message: 'The header Idempotency-Key takes 1 to 255 visible ASCII characters.',
  });
}
