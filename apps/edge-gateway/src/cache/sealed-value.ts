import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/** The Redis commands for sealed values (`AccountCache`). */
export interface SealedCache {
  mgetBuffer(...keys: string[]): Promise<(Buffer | null)[]>;
  set(accountId: string, key: string, value: Buffer, seconds: number): Promise<unknown>;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Derives the name of a value in Redis from a digest of a conversation. The encryption key is derived from the same
 * digest. The name of the value does not reveal the encryption key. Only a request of the same conversation can
 * find and decrypt the stored data.
 */
export function nameOf(digest: Buffer): string {
  return derive('name', digest).toString('base64url');
}

/** Encrypts data into nonce, tag and ciphertext, with a key that is derived from the digest. */
export function sealValue(digest: Buffer, value: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, derive('key', digest), nonce, { authTagLength: tagBytes });
  const sealed = Buffer.concat([sealing.update(value), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]);
}

/** Decrypts a value. Returns undefined if the encrypted data was changed, or was not encrypted for this digest. */
export function openValue(digest: Buffer, sealed: Buffer): string | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const opening = createDecipheriv(cipher, derive('key', digest), nonce, { authTagLength: tagBytes });
  opening.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const text = opening.update(sealed.subarray(nonceBytes + tagBytes));
    return Buffer.concat([text, opening.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function derive(use: 'name' | 'key', digest: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(use), digest]), 'buffer');
}
