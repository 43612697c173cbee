import { hash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** What a key may be made of: visible ASCII, as long as those that other APIs take. */
const shape = /^[\x21-\x7e]{1,255}$/;

/** The header, for the reference. */
export const idempotencyHeaders = z.object({
  'Idempotency-Key': z.string().optional().meta({
    description:
      'A random text of the caller’s own (a UUID), 255 characters at most. Within 24 hours the same one with the same request gets the first one’s answer, secrets included, with `Idempotent-Replayed: true`; with another request it is a 422 `idempotency_key_reused`. A call that failed may be made again.',
  }),
});

/** Of an answer that was given before, for the reference. */
export const replayedHeaders = {
  'Idempotent-Replayed': '`true` when the answer is that of an earlier call with the same `Idempotency-Key`.',
};

/** SHA-256, in hex, of the request's `Idempotency-Key`; undefined without one. Throws `invalid_field`. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && shape.test(key)) return hash('sha256', key);
  throw new GatewayError('invalid_field', {
    param: 'Idempotency-Key',
    message: 'The header Idempotency-Key takes 1 to 255 visible ASCII characters.',
  });
}
