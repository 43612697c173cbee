import type { CredentialSummary } from '@gateway/contracts';
import type { CredentialRow } from '../persistence/vault-database.ts';

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
