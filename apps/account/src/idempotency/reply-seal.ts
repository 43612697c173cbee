import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * The owner of a stored reply. A reply can be decrypted only with its owner's account id and idempotency key.
 */
export interface ReplyOwner {
  readonly accountId: string;
  /** SHA-256 of the caller's `Idempotency-Key`, in hex. */
  readonly idempotencyKeySha256: string;
}

/**
 * Computes the hash under which the reply for an owner is stored. The hash does not reveal the idempotency key. The
 * idempotency key is needed to decrypt the reply.
 */
export function hashIdempotencyKey(pepper: Buffer, owner: ReplyOwner): Buffer<ArrayBuffer> {
  return createHmac('sha256', pepper)
    .update(`idempotency record|${owner.accountId}|${owner.idempotencyKeySha256}`)
    .digest();
}

/**
 * Encrypts a reply into nonce, ciphertext and tag. The encryption key is derived from the service's pepper and the
 * caller's idempotency key. The idempotency key is not stored. A stolen database does not reveal the replies without
 * the pepper and the idempotency keys. An attacker with the pepper can decrypt only replies with a guessable
 * idempotency key.
 */
export function sealReply(pepper: Buffer, owner: ReplyOwner, reply: Buffer): Buffer<ArrayBuffer> {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, deriveKey(pepper, owner), nonce);
  sealing.setAAD(Buffer.from(owner.accountId));
  return Buffer.concat([nonce, sealing.update(reply), sealing.final(), sealing.getAuthTag()]);
}

/** Decrypts a stored reply. Throws an error if the bytes were not encrypted for this owner. */
export function openReply(pepper: Buffer, owner: ReplyOwner, sealed: Uint8Array): Buffer {
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

function deriveKey(pepper: Buffer, { accountId, idempotencyKeySha256 }: ReplyOwner): Buffer {
  const salt = Buffer.from(idempotencyKeySha256, 'hex');
  // The HKDF label must never change, because stored replies cannot be decrypted with a different label.
  return Buffer.from(hkdfSync('sha256', pepper, salt, `idempotent answer|${accountId}`, keyBytes));
}
