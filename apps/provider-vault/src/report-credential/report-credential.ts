import type { VaultContext } from '../domain/vault-context.ts';

export interface CredentialReport {
  readonly accountId: string;
  readonly provider: string;
  /** The status with which the provider refused the credential; null when it took it again. */
  readonly refusedStatus: number | null;
}

/** Writes down how a credential fares. Of the provider's answer only the status is kept: its text may quote the key. */
export async function reportCredential(
  { database }: Pick<VaultContext, 'database'>,
  { accountId, provider, refusedStatus }: CredentialReport,
): Promise<{ changed: boolean }> {
  const lastError =
    refusedStatus === null ? null : `The provider refused the credential with status ${refusedStatus}.`;
  const { count } = await database.forAccount(accountId).credential.updateMany({
    where: { provider },
    data: { lastError },
  });
  return { changed: count > 0 };
}
