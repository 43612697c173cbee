/** What a stored secret belongs to. A ciphertext opens in this very place and in no other. */
export interface SecretPlace {
  readonly accountId: string;
  readonly provider: string;
  /** Null is the provider's own address. */
  readonly baseUrl: string | null;
  /** Version of the key-encryption key. */
  readonly keyVersion: number;
  /** The credential's field, or null for the record's data key. */
  readonly field: string | null;
}

const purpose = 'agent-gateway provider-vault v1';

/**
 * The place in bytes. Each part comes with its length and with a mark for null, so that two different places never give
 * the same bytes.
 */
export function encodeAssociatedData(place: SecretPlace): Buffer {
  const parts = [
    purpose,
    place.accountId,
    place.provider,
    place.baseUrl,
    String(place.keyVersion),
    place.field,
  ];
  return Buffer.concat(parts.flatMap(encodePart));
}

function encodePart(part: string | null): Buffer[] {
  if (part === null) return [Buffer.from([0])];
  const bytes = Buffer.from(part, 'utf8');
  const head = Buffer.alloc(5, 1);
  head.writeUInt32BE(bytes.length, 1);
  return [head, bytes];
}
