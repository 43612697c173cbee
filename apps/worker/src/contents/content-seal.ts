import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const saltBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * The account and the request to which a stored content belongs. The content can be decrypted only for this
 * account and this request.
 */
export interface ContentPlace {
  readonly accountId: string;
  readonly requestId: string;
}

/**
 * Encrypts a request's content into salt, nonce, ciphertext and tag. Each content is encrypted with a
 * separate key, which is derived from the service's key with HKDF-SHA-256 (RFC 5869). The HKDF salt is
 * random, and the HKDF info is the account. The encryption also authenticates the account and the request, so
 * that a moved or swapped row cannot be decrypted.
 */
export function sealContent(key: Buffer, place: ContentPlace, content: Uint8Array): Buffer {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, deriveKey(key, salt, place), nonce, { authTagLength: tagBytes });
  sealing.setAAD(renderPlace(place));
  return Buffer.concat([salt, nonce, sealing.update(content), sealing.final(), sealing.getAuthTag()]);
}

/**
 * Decrypts a request's content. Returns null if the content was encrypted for another account or request, or with an
 * unknown key. The function also returns null if the content was modified.
 */
export function openContent(keys: readonly Buffer[], place: ContentPlace, sealed: Uint8Array): Buffer | null {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < saltBytes + nonceBytes + tagBytes) return null;
  for (const key of keys) {
    const opened = openWith(key, place, bytes);
    if (opened !== null) return opened;
  }
  return null;
}

function openWith(key: Buffer, place: ContentPlace, bytes: Buffer): Buffer | null {
  const salt = bytes.subarray(0, saltBytes);
  const nonce = bytes.subarray(saltBytes, saltBytes + nonceBytes);
  const opening = createDecipheriv(cipher, deriveKey(key, salt, place), nonce, { authTagLength: tagBytes })
    .setAAD(renderPlace(place))
    .setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([
      opening.update(bytes.subarray(saltBytes + nonceBytes, -tagBytes)),
      opening.final(),
    ]);
  } catch {
    return null;
  }
}

function deriveKey(key: Buffer, salt: Buffer, { accountId }: ContentPlace): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `request content|${accountId}`, keyBytes));
}

function renderPlace({ accountId, requestId }: ContentPlace): Buffer {
  return Buffer.from(`${accountId}|${requestId}`);
}
