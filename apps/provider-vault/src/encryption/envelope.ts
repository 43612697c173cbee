import { randomBytes } from 'node:crypto';
import { decrypt, encrypt, keyBytes } from './aes-gcm.ts';
import { bindDataKey, encodeAssociatedData, type CredentialPlace } from './associated-data.ts';
import type { KeyRing } from './key-ring.ts';

/** A stored credential with encrypted fields. */
export interface Envelope {
  readonly keyVersion: number;
  /** The record's data key, encrypted under the key-encryption key. */
  readonly wrappedDataKey: Uint8Array<ArrayBuffer>;
  /** Maps each field name to the base64 of its nonce, ciphertext and tag, encrypted under the data key. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * The decrypted fields of a credential, as bytes. Callers must overwrite the decrypted fields with
 * `forgetFields` after use.
 */
export type OpenFields = Readonly<Record<string, Buffer>>;

/** Encrypts each field of a credential under a new data key. */
export async function closeEnvelope(
  keyRing: KeyRing,
  keyVersion: number,
  place: CredentialPlace,
  secret: OpenFields,
): Promise<Envelope> {
  const dataKey = randomBytes(keyBytes);
  try {
    const fields = Object.entries(secret).map(([field, value]) => {
      const associatedData = encodeAssociatedData({ ...place, keyVersion, field });
      return [field, encrypt(dataKey, value, associatedData).toString('base64')] as const;
    });
    const wrappedDataKey = await keyRing.key(keyVersion).wrap(dataKey, bindDataKey(place, keyVersion));
    return { keyVersion, wrappedDataKey, fields: Object.fromEntries(fields) };
  } finally {
    dataKey.fill(0);
  }
}

/**
 * Decrypts every field of a credential. Rejects if any part of the record has changed, or if the record was
 * moved.
 */
export async function openEnvelope(
  keyRing: KeyRing,
  place: CredentialPlace,
  envelope: Envelope,
): Promise<OpenFields> {
  const { keyVersion, wrappedDataKey } = envelope;
  const dataKey = await keyRing.key(keyVersion).unwrap(wrappedDataKey, bindDataKey(place, keyVersion));
  try {
    const fields = Object.entries(envelope.fields).map(([field, sealed]) => {
      const associatedData = encodeAssociatedData({ ...place, keyVersion, field });
      return [field, decrypt(dataKey, Buffer.from(sealed, 'base64'), associatedData)] as const;
    });
    return Object.fromEntries(fields);
  } finally {
    dataKey.fill(0);
  }
}

/** Overwrites the decrypted fields of a credential with zeros. */
export function forgetFields(fields: OpenFields): void {
  for (const value of Object.values(fields)) value.fill(0);
}
