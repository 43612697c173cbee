import { createHash } from 'node:crypto';
import type { KeyBinding } from './key-encryption-key.port.ts';

/** Whose credential it is and where it may be sent. */
export interface CredentialPlace {
  readonly accountId: string;
  readonly provider: string;
  /** Null is the provider's own address. */
  readonly baseUrl: string | null;
}

/** What a stored secret belongs to. A ciphertext opens in this very place and in no other. */
export interface SecretPlace extends CredentialPlace {
  /** Version of the key-encryption key. */
  readonly keyVersion: number;
  /** The credential's field, or null for the record's data key. */
  readonly field: string | null;
}

const purpose = 'agent-gateway provider-vault v1';
const seedPurpose = 'agent-gateway provider-vault sealing seed v1';

/**
 * The place in bytes. Each part comes with its length and with a mark for null, so that two different places never give
 * the same bytes.
 */
export function encodeAssociatedData(place: SecretPlace): Buffer {
  const { accountId, provider, baseUrl, keyVersion, field } = place;
  return encodeParts([purpose, accountId, provider, baseUrl, String(keyVersion), field]);
}

/** What a record's data key is wrapped with. */
export function bindDataKey(place: CredentialPlace, keyVersion: number): KeyBinding {
  const associatedData = encodeAssociatedData({ ...place, keyVersion, field: null });
  const { accountId, provider } = place;
  return { associatedData, labels: { account: accountId, provider, key_version: String(keyVersion) } };
}

/** What the seed of a sealing key pair is wrapped with. */
export function bindSealingSeed(keyVersion: number): KeyBinding {
  const labels = { purpose: 'sealing seed', key_version: String(keyVersion) };
  return { associatedData: encodeParts([seedPurpose, String(keyVersion)]), labels };
}

/** SHA-256 of the whole binding: for who takes texts, and no bytes. Base64. */
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
