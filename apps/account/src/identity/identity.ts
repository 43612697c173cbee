import { sealingKeyPairFromSeed, type SealingKeyPair } from '@gateway/messaging';
import { hkdfSync } from 'node:crypto';
import type { Metrics } from '@gateway/observability';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';
import { GuessLimit } from './guess-limit.ts';
import { PasswordHasher } from './password-hasher.ts';
import { SigningKeys } from './signing-keys.ts';
import type { LoginSessionChange } from '../announce/change-announcer.ts';

/** Login session events that are counted in the metrics. */
type IdentityEvent =
  'signed-up' | 'logged-in' | 'wrong-password' | 'blocked' | 'refreshed' | 'reused' | 'logged-out';

/** Dependencies shared by the functions of the embedded identity service. */
export interface Identity {
  readonly database: AccountDatabase;
  /** The `iss` claim of access tokens. */
  readonly issuer: string;
  /** The `aud` claim of access tokens. */
  readonly audience: string;
  readonly accessTokenSeconds: number;
  /** Whether new users may sign up. */
  readonly signUpOpen: boolean;
  /** Gateways encrypt passwords to this key pair. All replicas share it. */
  readonly sealingKeys: SealingKeyPair;
  /** 32 bytes. Each refresh token is stored as an HMAC keyed with this pepper. */
  readonly refreshPepper: Buffer;
  readonly signingKeys: SigningKeys;
  readonly passwords: PasswordHasher;
  readonly guesses: GuessLimit;
  readonly countEvent: (event: IdentityEvent) => void;
  /** Announces that a person's cached login sessions are stale. Call it after the commit. */
  readonly announceLoginSessionChange: (change: LoginSessionChange) => void;
}

/** Null if an external OpenID Connect issuer is used. */
export const IDENTITY = Symbol('Identity');

/** Five failures are free. After that, a guesser gets about a hundred attempts per day and e-mail address. */
const emailAllowance = { free: 5, firstBlockMs: 30_000, longestBlockMs: 15 * 60_000 };
/** The limit is higher because several people may share a client address. */
const addressAllowance = { free: 50, firstBlockMs: 30_000, longestBlockMs: 15 * 60_000 };

export interface IdentityOptions {
  /** 32 bytes. All keys of the embedded identity service are derived from this secret. */
  readonly secret: Buffer;
  readonly issuer: string;
  readonly audience: string;
  readonly accessTokenSeconds: number;
  readonly signUpOpen: boolean;
}

export interface IdentityParts extends Pick<Identity, 'announceLoginSessionChange'> {
  readonly database: AccountDatabase;
  readonly metrics: Metrics;
}

export function buildIdentity(
  { secret, ...claims }: IdentityOptions,
  { database, metrics, announceLoginSessionChange }: IdentityParts,
): Identity {
  const derive = (purpose: string) => deriveKey(secret, purpose);
  const boxKeys = sealingKeyPairFromSeed(derive('signing keys'));
  const events = metrics.counter({
    name: 'account_identity_events_total',
    help: 'Events of login sessions: sign-ups, logins, wrong passwords, blocked attempts, refreshes, reused refresh tokens, logouts.',
    labels: ['event'],
  });
  return {
    database,
    ...claims,
    sealingKeys: sealingKeyPairFromSeed(derive('passwords')),
    refreshPepper: derive('refresh tokens'),
    signingKeys: new SigningKeys({ database, boxKeys }),
    passwords: new PasswordHasher(),
    guesses: new GuessLimit(database, derive('guesses'), {
      email: emailAllowance,
      address: addressAllowance,
    }),
    announceLoginSessionChange,
    countEvent: (event) => events.inc({ event }),
  };
}

/**
 * All keys are derived from one configured secret. A leaked derived key reveals nothing about the others (RFC
 * 5869).
 */
function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `agent-gateway identity: ${purpose}`, 32));
}

/** Throws `not_found` if an external issuer replaces the embedded identity service. */
export function requireIdentity(identity: Identity | null): Identity {
  if (identity === null) throw new GatewayError('not_found');
  return identity;
}
