import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Whose answer it is: it opens for no other account and under no other key. */
export interface AnswerOwner {
  readonly accountId: string;
  /** SHA-256, in hex, of the caller's `Idempotency-Key`. */
  readonly idempotencyKeySha256: string;
}

/** What an owner's record is found by. It does not give the idempotency key away, on which the seal depends. */
export function hashIdempotencyKey(pepper: Buffer, owner: AnswerOwner): Buffer<ArrayBuffer> {
  return createHmac('sha256', pepper)
    .update(`idempotency record|${owner.accountId}|${owner.idempotencyKeySha256}`)
    .digest();
}

/**
 * Seals an answer: nonce, ciphertext and tag. Its key is derived from the service's pepper and from the caller's own
 * idempotency key, which is stored nowhere: a copy of the database opens none of them, and one
 * together with the pepper only those whose idempotency key can be guessed.
 */
export function sealAnswer(pepper: Buffer, owner: AnswerOwner, answer: Buffer): Buffer<ArrayBuffer> {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, deriveKey(pepper, owner), nonce);
  sealing.setAAD(Buffer.from(owner.accountId));
  return Buffer.concat([nonce, sealing.update(answer), sealing.final(), sealing.getAuthTag()]);
}

/** Throws when the bytes are not those that were sealed for this owner. */
export function openAnswer(pepper: Buffer, owner: AnswerOwner, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  const opening = createDecipheriv(cipher, deriveKey(pepper, owner), bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  opening.setAAD(Buffer.from(owner.accountId));
  opening.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  return Buffer.concat([
    opening.update(bytes.subarray(nonceBytes, bytes.length - tagBytes)),
    opening.final(),
  ]);
}

function deriveKey(pepper: Buffer, { accountId, idempotencyKeySha256 }: AnswerOwner): Buffer {
  const salt = Buffer.from(idempotencyKeySha256, 'hex');
  return Buffer.from(hkdfSync('sha256', pepper, salt, `idempotent answer|${accountId}`, keyBytes));
}
