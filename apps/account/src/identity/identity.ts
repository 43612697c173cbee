import type { SealingKeyPair } from '@gateway/messaging';
import type { AccountDatabase } from '../persistence/account-database.ts';
import type { GuessLimit } from './guess-limit.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Whose sessions ended, or whose account changed. */
export interface SessionChange {
  readonly issuer: string;
  readonly subject: string;
}

/** What happens to sessions, as operators count it. */
export type IdentityEvent =
  'signed-up' | 'logged-in' | 'wrong-password' | 'blocked' | 'refreshed' | 'reused' | 'logged-out';

/** What the embedded identity's use cases share. */
export interface Identity {
  readonly database: AccountDatabase;
  /** What its tokens say in `iss` and `aud`. */
  readonly issuer: string;
  readonly audience: string;
  readonly accessTokenSeconds: number;
  /** Whether anybody may sign up, or nobody any more. */
  readonly signUpOpen: boolean;
  /** Passwords on their way in are sealed to it. The same in every replica. */
  readonly sealingKeys: SealingKeyPair;
  /** 32 bytes, under which refresh tokens are stored. */
  readonly refreshPepper: Buffer;
  readonly signingKeys: SigningKeys;
  readonly passwords: PasswordHasher;
  readonly guesses: GuessLimit;
  readonly countEvent: (event: IdentityEvent) => void;
  /** Tells every gateway that what it has cached of the subject's sessions is stale. Called after the commit. */
  readonly announceSessionChange: (change: SessionChange) => void;
}
