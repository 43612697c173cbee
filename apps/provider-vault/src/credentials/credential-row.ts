import type { CredentialSummary } from '@gateway/contracts';
import { z } from 'zod';
import { newId } from '@gateway/persistence';
import type { CredentialRow, VaultModels } from '../persistence/vault-database.ts';
import type { Envelope } from '../encryption/envelope.ts';

/** Maximum number of provider credentials per account, one per provider. */
export const credentialsMax = 200;

/** Database columns that contain no part of the secret. */
export const summaryColumns = {
  provider: true,
  hint: true,
  additionalKeys: true,
  baseUrl: true,
  createdAt: true,
  rotatedAt: true,
  lastUsedAt: true,
  lastError: true,
  verifiedAt: true,
} as const;

export function renderSummary(row: Pick<CredentialRow, keyof typeof summaryColumns>): CredentialSummary {
  return {
    provider: row.provider,
    additionalKeys: row.additionalKeys,
    hint: row.hint === null ? null : `…${row.hint}`,
    baseUrl: row.baseUrl,
    createdAt: row.createdAt.toISOString(),
    rotatedAt: row.rotatedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    lastError: row.lastError,
    verified: row.verifiedAt !== null,
  };
}

/** The version of a credential: the time of its latest write, in RFC 3339. */
export function versionOf({ rotatedAt, createdAt }: Pick<CredentialRow, 'rotatedAt' | 'createdAt'>): string {
  return (rotatedAt ?? createdAt).toISOString();
}

const storedFields = z.record(z.string(), z.string());

/** Parses the encrypted envelope in a stored database row. */
export function parseEnvelope({
  keyVersion,
  wrappedDataKey,
  fields,
}: Pick<CredentialRow, 'keyVersion' | 'wrappedDataKey' | 'fields'>): Envelope {
  return { keyVersion, wrappedDataKey, fields: storedFields.parse(fields) };
}

interface AuditEntry {
  readonly accountId: string;
  readonly provider: string;
  readonly credentialId: string;
  readonly action: 'put' | 'open' | 'delete' | 'rewrap';
  /**
   * SHA-256 of the public key that encrypts the secret. The hash is present only if the action is
   * `open`.
   */
  readonly recipientKeySha256?: string;
}

/**
 * Writes an audit row in the same transaction as the change. Either both the change and the audit row are
 * stored, or neither is stored.
 */
export async function writeAudit(tx: VaultModels, entry: AuditEntry): Promise<void> {
  await tx.credentialAudit.create({ data: { id: newId(), ...entry }, select: { id: true } });
}
