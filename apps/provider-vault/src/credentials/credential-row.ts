import type { CredentialSummary } from '@gateway/contracts';
import { z } from 'zod';
import { newId } from '@gateway/persistence';
import type { CredentialRow, VaultModels } from '../persistence/vault-database.ts';
import type { Envelope } from '../encryption/envelope.ts';

/** Credentials of one account, one for each provider. */
export const credentialsMax = 200;

/** Columns that tell of a credential without holding any of it. */
export const summaryColumns = {
  provider: true,
  hint: true,
  additionalKeys: true,
  baseUrl: true,
  createdAt: true,
  rotatedAt: true,
  lastUsedAt: true,
  lastError: true,
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
  };
}

const storedFields = z.record(z.string(), z.string());

/** The envelope in a row. */
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
  /** For an open: SHA-256 of the public key that the secret is sealed to. */
  readonly recipientKeySha256?: string;
}

/** Within the transaction of what it tells of: neither stands without the other. */
export async function writeAudit(tx: VaultModels, entry: AuditEntry): Promise<void> {
  await tx.credentialAudit.create({ data: { id: newId(), ...entry }, select: { id: true } });
}
