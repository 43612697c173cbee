import type { CredentialCheckResult } from '@gateway/contracts';
import type { CredentialRow } from '../persistence/vault-database.ts';

const refusal = 'The provider refused the credential with status';
/** The start of the stored error of any additional key. */
export const keyRefusal = 'The provider refused the additional key';

/** Whether a stored error means that the provider rejected the credential. */
export function isRefusal(lastError: string | null): boolean {
  return lastError?.startsWith(refusal) ?? false;
}

/** The start of the stored error of an additional key. `key` counts from 1. */
export const keyRefusalOf = (key: number): string => `${keyRefusal} ${key} with status`;

/** The additional key that a stored error is about, counted from 1. Null if the error is about the main key. */
export function readRefusedKey(lastError: string | null): number | null {
  const key = lastError?.startsWith(keyRefusal)
    ? Number.parseInt(lastError.slice(keyRefusal.length), 10)
    : NaN;
  return Number.isNaN(key) ? null : key;
}

/** The columns that show whether a credential works. */
type HealthColumns = Pick<CredentialRow, 'lastError' | 'verifiedAt'>;

/**
 * Renders the outcome of a call with the credential. The text may contain the provider's HTTP status, but never
 * the provider's error text, which can quote the key.
 */
export function renderHealth({ outcome, status, refusedKey }: CredentialCheckResult): HealthColumns {
  const verifiedAt = outcome === 'accepted' ? new Date() : null;
  const ofKey = refusedKey === undefined ? null : `${keyRefusalOf(refusedKey.key)} ${refusedKey.status}.`;
  return { lastError: describeFailure(outcome, status) ?? ofKey, verifiedAt };
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
