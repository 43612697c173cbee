import type { KeyVersions } from '../persistence/key-versions.ts';
import type { VaultDatabase } from '../persistence/vault-database.ts';
import type { Enrolment } from './enrolment.ts';
import type { KeyRing } from './key-ring.ts';
import type { SealingKeys } from './sealing-keys.ts';

/** What the use cases share. */
export interface VaultContext {
  readonly database: VaultDatabase;
  readonly keyRing: KeyRing;
  readonly keyVersions: KeyVersions;
  readonly sealingKeys: SealingKeys;
  readonly enrolment: Pick<Enrolment, 'end'>;
  /**
   * `failed` is a stored secret that does not open: somebody changed it, or the key is not the one it was closed with;
   * `unavailable` one whose key cannot be used now.
   */
  readonly countOpening: (outcome: 'opened' | 'missing' | 'failed' | 'unavailable') => void;
  readonly countRewrapping: (outcome: 'rewrapped' | 'failed') => void;
  /** Tells every gateway that a credential it may hold is stale. Called after the commit, never before. */
  readonly announceCredentialChange: (change: { accountId: string; provider: string }) => void;
}

/** Nest's name for the context. */
export const VAULT_CONTEXT = Symbol('VaultContext');
