import { z } from 'zod';

/** A UUIDv7, as every id of ours is. */
export const id = z.uuid();
/** RFC 3339, UTC. */
export const timestamp = z.iso.datetime();
/** Lower-case hex of a SHA-256. */
export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
/** Bytes, in base64. */
export const base64 = z.base64();
export const count = z.int().nonnegative();
/** Without what Postgres keeps in no text: NUL, and halves of surrogate pairs. */
export const keepable = (text: z.ZodString) =>
  text.refine((value) => !value.includes('\0') && value.isWellFormed(), {
    error: 'it has a character that cannot be kept',
  });
/** RFC 3339, with any offset, of the years 1 to 9999 in UTC: no other has that form and a place in Postgres. */
export const instant = z.iso.datetime({ offset: true }).refine(
  (value) => {
    const year = new Date(value).getUTCFullYear();
    return year >= 1 && year <= 9999;
  },
  { error: 'give a time of the years 1 to 9999' },
);
export const toolNames = z.array(keepable(z.string().min(1).max(256))).max(4096);

/**
 * What a call that creates takes besides: the SHA-256 of the caller's `Idempotency-Key`. Within 24 hours the same one with the
 * same request gets the first one's answer, and with another request `idempotency_key_reused`.
 */
export const idempotency = { idempotencyKeySha256: sha256Hex.optional() };
/** Whether the answer is that of an earlier call. */
export const replayed = z.boolean().default(false);
