import type { CredentialSummary } from '@gateway/contracts';
import { credentialsMax } from '../domain/bounds.ts';
import { renderSummary, summaryColumns } from '../domain/render-summary.ts';
import type { VaultContext } from '../domain/vault-context.ts';

/** What is known of the account's credentials, by provider. The secrets are not even read. */
export async function listCredentials(
  { database }: Pick<VaultContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ credentials: CredentialSummary[] }> {
  const rows = await database.forAccount(accountId).credential.findMany({
    orderBy: { provider: 'asc' },
    take: credentialsMax,
    select: summaryColumns,
  });
  return { credentials: rows.map(renderSummary) };
}
