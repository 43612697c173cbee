import type { CredentialCheckResult } from '@gateway/contracts';
import type { CredentialRow } from '../persistence/vault-database.ts';

const refusal = 'The provider refused the credential with status';

/** Whether a stored error means that the provider rejected the credential. */
export function isRefusal(lastError: string | null): boolean {
  return lastError?.startsWith(refusal) ?? false;
}

/** The columns that show whether a credential works. */
type HealthColumns = Pick<CredentialRow, 'lastError' | 'verifiedAt'>;

/**
 * Renders the outcome of a call with the credential. The text may contain the provider's HTTP status, but never
 * the provider's error text, which can quote the key.
 */
export function renderHealth({ outcome, status }: CredentialCheckResult): HealthColumns {
  const verifiedAt = outcome === 'accepted' ? new Date() : null;
  return { lastError: describeFailure(outcome, status), verifiedAt };
}

function describeFailure(outcome: CredentialCheckResult['outcome'], status: number | null): string | null {
  switch (outcome) {
    case 'accepted':
    case 'unknown':
      return null;
    case 'refused':
      return `${refusal} ${String(status)}.`;
    case 'failed':
      return `The provider returned the status ${String(status)} when the credential was checked.`;
    case 'unreachable':
      return 'The gateway could not reach the provider to check the credential.';
    case 'timeout':
      return 'The provider did not respond in time when the credential was checked.';
    case 'forbidden':
      return 'The operator’s egress rules do not allow the address of the provider.';
  }
}
