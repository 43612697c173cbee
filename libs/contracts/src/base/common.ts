import { z } from 'zod';

/** A UUIDv7. All ids in the gateway are UUIDv7. */
export const id = z.uuid();
/** A timestamp in RFC 3339 form, in UTC. */
export const timestamp = z.iso.datetime();
/** A SHA-256 digest in lowercase hex. */
export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
/** Base64-encoded bytes. */
export const base64 = z.base64();
export const count = z.int().nonnegative();
/** Rejects characters that Postgres cannot store in text, which are NUL and unpaired surrogates. */
export const keepable = (text: z.ZodString) =>
  text.refine((value) => !value.includes('\0') && value.isWellFormed(), {
    error: 'it contains a NUL character or an unpaired surrogate, which cannot be stored',
  });
/**
 * A timestamp in RFC 3339 form with any offset, limited to the years 1 to 9999 (UTC). Postgres and RFC 3339
 * support only the years 1 to 9999.
 */
export const instant = z.iso.datetime({ offset: true }).refine(
  (value) => {
    const year = new Date(value).getUTCFullYear();
    return year >= 1 && year <= 9999;
  },
  { error: 'give a time of the years 1 to 9999' },
);
export const toolNames = z.array(keepable(z.string().min(1).max(256))).max(4096);

/**
 * Calls that create a record contain the SHA-256 hash of the caller's `Idempotency-Key`. Within 24 hours, a
 * repeated request with the same idempotency key returns the first response. A different request with the
 * same idempotency key fails with `idempotency_key_reused`.
 */
export const idempotency = { idempotencyKeySha256: sha256Hex.optional() };
/** Whether the response is the stored response to an earlier call. */
export const replayed = z.boolean().default(false);
