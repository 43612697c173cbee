import { randomBytes } from 'node:crypto';
import { decrypt, encrypt, keyBytes } from './aes-gcm.ts';
import { encodeAssociatedData, type SecretPlace } from './associated-data.ts';
import type { KeyRing } from './key-ring.port.ts';

/** Whose credential it is and where it may be sent. */
export type CredentialPlace = Pick<SecretPlace, 'accountId' | 'provider' | 'baseUrl'>;

/** A credential as it is stored. */
export interface Envelope {
  readonly keyVersion: number;
  /** The record's own data key under the key-encryption key: nonce | ciphertext | tag. */
  readonly wrappedDataKey: Uint8Array<ArrayBuffer>;
  /** Field name → base64 of nonce | ciphertext | tag, under the data key. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Closes each field under a data key that is made for this record alone. */
export async function closeEnvelope(
  keyRing: KeyRing,
  place: CredentialPlace,
  secret: Readonly<Record<string, string>>,
): Promise<Envelope> {
  const keyVersion = keyRing.currentVersion;
  const dataKey = randomBytes(keyBytes);
  try {
    const fields = Object.entries(secret).map(([field, value]) => {
      const associatedData = encodeAssociatedData({ ...place, keyVersion, field });
      return [field, encrypt(dataKey, Buffer.from(value), associatedData).toString('base64')] as const;
    });
    const associatedData = encodeAssociatedData({ ...place, keyVersion, field: null });
    const wrappedDataKey = await keyRing.wrap(dataKey, keyVersion, associatedData);
    return { keyVersion, wrappedDataKey, fields: Object.fromEntries(fields) };
  } finally {
    dataKey.fill(0);
  }
}

/** Opens every field. Rejects when anything of the record, or of its place, is not as it was closed. */
export async function openEnvelope(
  keyRing: KeyRing,
  place: CredentialPlace,
  envelope: Envelope,
): Promise<Record<string, string>> {
  const { keyVersion } = envelope;
  const associatedData = encodeAssociatedData({ ...place, keyVersion, field: null });
  const dataKey = await keyRing.unwrap(envelope.wrappedDataKey, keyVersion, associatedData);
  try {
    const secret = Object.entries(envelope.fields).map(([field, sealed]) => {
      const associatedData = encodeAssociatedData({ ...place, keyVersion, field });
      return [
        field,
        decrypt(dataKey, Buffer.from(sealed, 'base64'), associatedData).toString('utf8'),
      ] as const;
    });
    return Object.fromEntries(secret);
  } finally {
    dataKey.fill(0);
  }
}
