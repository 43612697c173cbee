import { createHash } from 'node:crypto';
import type { KeyBinding } from './key-encryption-key.port.ts';

/** The owner of a credential, and the address to which the credential may be sent. */
export interface CredentialPlace {
  readonly accountId: string;
  readonly provider: string;
  /** The base URL of the credential. Null means that the provider's default address is used. */
  readonly baseUrl: string | null;
}

/**
 * Identifies the place where a secret is stored. A ciphertext that is moved to another storage location cannot
 * be decrypted.
 */
export interface SecretPlace extends CredentialPlace {
  /** Version of the key-encryption key. */
  readonly keyVersion: number;
  /** The name of the credential field. Null if the encrypted value is the record's data key. */
  readonly field: string | null;
}

const purpose = 'agent-gateway provider-vault v1';
const seedPurpose = 'agent-gateway provider-vault sealing seed v1';

/**
 * Encodes the storage location of a secret as bytes. Each part of the encoding includes its length and a
 * marker for null, so that two different locations never have the same bytes.
 */
export function encodeAssociatedData(place: SecretPlace): Buffer {
  const { accountId, provider, baseUrl, keyVersion, field } = place;
  return encodeParts([purpose, accountId, provider, baseUrl, String(keyVersion), field]);
}

/** The binding that is authenticated when a record's data key is encrypted. */
export function bindDataKey(place: CredentialPlace, keyVersion: number): KeyBinding {
  const associatedData = encodeAssociatedData({ ...place, keyVersion, field: null });
  const { accountId, provider } = place;
  return { associatedData, labels: { account: accountId, provider, key_version: String(keyVersion) } };
}

/** The binding that is authenticated when the seed of a sealing key pair is encrypted. */
export function bindSealingSeed(keyVersion: number): KeyBinding {
  const labels = { purpose: 'sealing seed', key_version: String(keyVersion) };
  return { associatedData: encodeParts([seedPurpose, String(keyVersion)]), labels };
}

/** Returns the SHA-256 of the whole binding in base64, for key services that accept only text. */
export function digestBinding({ associatedData }: KeyBinding): string {
  return createHash('sha256').update(associatedData).digest('base64');
}

function encodeParts(parts: readonly (string | null)[]): Buffer {
  return Buffer.concat(parts.flatMap(encodePart));
}

function encodePart(part: string | null): Buffer[] {
  if (part === null) return [Buffer.from([0])];
  const bytes = Buffer.from(part, 'utf8');
  const head = Buffer.alloc(5, 1);
  head.writeUInt32BE(bytes.length, 1);
  return [head, bytes];
}
