import { z } from 'zod';
import { sha256Hex } from './common.ts';

/**
 * What a call that creates takes besides: the SHA-256 of the caller's `Idempotency-Key`. Within 24 hours the same one with the
 * same request gets the first one's answer, and with another request `idempotency_key_reused`.
 */
export const idempotency = { idempotencyKeySha256: sha256Hex.optional() };
/** Whether the answer is that of an earlier call. */
export const replayed = z.boolean().default(false);
