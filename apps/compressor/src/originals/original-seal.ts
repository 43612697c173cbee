import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { OriginalScope } from './original-store.port.ts';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The keys of one account's session: one to find its originals by, one to read them with. */
export interface ConversationKeys {
  readonly name: Buffer;
  readonly seal: Buffer;
}

/**
 * HKDF-SHA-256 (RFC 5869) of the service's key, with the session as its salt and the account in its info: what is kept for one
 * session can neither be found nor read for another, and nothing of it by who has the store alone.
 */
export function deriveConversationKeys(key: Buffer, { accountId, session }: OriginalScope): ConversationKeys {
  const salt = Buffer.from(session, 'hex');
  const derive = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, salt, `original ${use}|${accountId}`, keyBytes));
  return { name: derive('name'), seal: derive('seal') };
}

/** What an original is kept under: says neither whose it is nor which. */
export function nameOriginal({ name }: ConversationKeys, id: string): string {
  return createHmac('sha256', name).update(id).digest('base64url');
}

/** Nonce, ciphertext and tag. It opens for its own id alone. */
export function sealOriginal({ seal }: ConversationKeys, id: string, original: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, seal, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(id));
  return Buffer.concat([nonce, sealing.update(original), sealing.final(), sealing.getAuthTag()]);
}

/** Null for what was not sealed for this session and id, down to the last bit. */
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
