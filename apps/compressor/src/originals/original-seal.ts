import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { OriginalScope } from './original-store.port.ts';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * The keys for one conversation. One key derives the storage names of the conversation's original texts, and
 * the other key encrypts the original texts.
 */
export interface ConversationKeys {
  readonly name: Buffer;
  readonly seal: Buffer;
}

/**
 * Derives the keys with HKDF-SHA-256 (RFC 5869) from the service's secret. The HKDF salt is the id of the
 * conversation, and the info parameter contains the account. Finding or decrypting an original text requires
 * both the conversation id and the secret.
 */
export function deriveConversationKeys(key: Buffer, { accountId, session }: OriginalScope): ConversationKeys {
  const salt = Buffer.from(session, 'hex');
  const derive = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, salt, `original ${use}|${accountId}`, keyBytes));
  return { name: derive('name'), seal: derive('seal') };
}

/** The storage name of an original text. The storage name reveals neither the account nor the marker id. */
export function nameOriginal({ name }: ConversationKeys, id: string): string {
  return createHmac('sha256', name).update(id).digest('base64url');
}

/** Encrypts an original text into nonce, ciphertext and tag. The text can be decrypted only for the same marker id. */
export function sealOriginal({ seal }: ConversationKeys, id: string, original: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, seal, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(id));
  return Buffer.concat([nonce, sealing.update(original), sealing.final(), sealing.getAuthTag()]);
}

/**
 * Decrypts an original text. Returns null if the encrypted bytes were changed, or were not encrypted for this
 * conversation and marker id.
 */
export function openOriginal({ seal }: ConversationKeys, id: string, sealed: Buffer): Buffer | null {
  if (sealed.length < nonceBytes + tagBytes) return null;
  const opening = createDecipheriv(cipher, seal, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(id))
    .setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([opening.update(sealed.subarray(nonceBytes, -tagBytes)), opening.final()]);
  } catch {
    return null;
  }
}
