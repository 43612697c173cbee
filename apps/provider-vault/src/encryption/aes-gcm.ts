import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
export const keyBytes = 32;

/** Length of the nonce in bytes. A nonce is random. */
export function createNonce(): Buffer {
  return randomBytes(nonceBytes);
}

/**
 * Encrypts with AES-256-GCM under a random nonce. The encrypted data consists of the nonce, the ciphertext
 * and the tag, in this order. With random nonces, one key may encrypt at most 2^32 messages (NIST SP 800-38D
 * §8.3). The data key of a record encrypts only a few messages.
 */
export function encrypt(key: Buffer, plaintext: Uint8Array, associatedData: Buffer): Buffer<ArrayBuffer> {
  const nonce = createNonce();
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(associatedData);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts with AES-256-GCM. Throws an error if the key, the ciphertext or the associated data differs in a
 * single bit.
 */
export function decrypt(key: Buffer, sealed: Uint8Array, associatedData: Buffer): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new RangeError('The ciphertext is truncated.');
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(associatedData)
    .setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
}
