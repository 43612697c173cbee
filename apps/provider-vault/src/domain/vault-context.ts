import type { VaultDatabase } from '../persistence/vault-database.ts';
import type { LocalKeyRing } from './local-key-ring.ts';

/** What the use cases share. */
export interface VaultContext {
  readonly database: VaultDatabase;
  readonly keyRing: LocalKeyRing;
  /** `failed` is a stored secret that does not open: somebody changed it, or the key is not the one it was closed with. */
  readonly countOpening: (outcome: 'opened' | 'missing' | 'failed') => void;
  /** Tells every gateway that a credential it may hold is stale. Called after the commit, never before. */
  readonly announceCredentialChange: (change: { accountId: string; provider: string }) => void;
}

/** Nest's name for the context. */
export const VAULT_CONTEXT = Symbol('VaultContext');
