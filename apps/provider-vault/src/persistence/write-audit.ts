import { newId } from '@gateway/persistence';
import type { VaultModels } from './vault-database.ts';

export interface AuditEntry {
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
