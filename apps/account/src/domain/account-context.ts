import type { Identity, SessionChange } from '../identity/identity.ts';
import type { DeletionRunner } from '../delete-account/deletion-runner.ts';
import type { AccountDatabase } from '../persistence/account-database.ts';
import type { LastUsedRecorder } from '../authenticate-key/last-used-recorder.ts';
import type { ExpiredRecordUpkeep } from '../idempotency/expired-record-upkeep.ts';

/** A key that was created, changed or revoked, and the epoch from which that holds. */
export interface KeyChange {
  readonly accountId: string;
  readonly keyId: string;
  readonly epoch: number;
  /** Whether it was revoked, which is final. */
  readonly revoked?: boolean;
}

/** A change of an account that all of its keys feel: of its policy, preferences or toggles, or its end. */
export interface AccountChange {
  readonly accountId: string;
  readonly epoch: number;
  /** Whether the account is deleted, which is final. */
  readonly deleted?: boolean;
}

/** What the use cases share. */
export interface AccountContext {
  readonly database: AccountDatabase;
  /** 32 bytes. */
  readonly pepper: Buffer;
  readonly lastUsed: LastUsedRecorder;
  readonly expiredRecords: ExpiredRecordUpkeep;
  readonly deletions: DeletionRunner;
  /** Unknown counts revoked keys too. */
  readonly countLookup: (outcome: 'found' | 'unknown') => void;
  /** Tells every gateway that what it has cached of the key is stale. Called after the commit, never before. */
  readonly announceKeyChange: (change: KeyChange) => void;
  /** Null when an OpenID Connect issuer stands in for it. */
  readonly identity: Identity | null;
  /** Tells every gateway that what it has cached of a person's sessions is stale. */
  readonly announceSessionChange: (change: SessionChange) => void;
  /** The same for all keys of an account. */
  readonly announceAccountChange: (change: AccountChange) => void;
}

/** Nest's name for the context. */
export const ACCOUNT_CONTEXT = Symbol('AccountContext');
