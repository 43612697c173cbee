import { sealingKeyPairFromSeed, type SealingKeyPair } from '@gateway/messaging';
import { hkdfSync } from 'node:crypto';
import type { Metrics } from '@gateway/observability';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';
import { GuessLimit } from './guess-limit.ts';
import { PasswordHasher } from './password-hasher.ts';
import { SigningKeys } from './signing-keys.ts';
import type { LoginSessionChange } from '../announce/change-announcer.ts';

/** Events of login sessions in the metrics. */
type IdentityEvent =
  'signed-up' | 'logged-in' | 'wrong-password' | 'blocked' | 'refreshed' | 'reused' | 'logged-out';

/** Shared parts of the embedded identity. */
export interface Identity {
  readonly database: AccountDatabase;
  /** The `iss` claim of its tokens. The next field is the `aud` claim. */
  readonly issuer: string;
  readonly audience: string;
  readonly accessTokenSeconds: number;
  /** Whether people may sign up. */
  readonly signUpOpen: boolean;
  /** Gateways seal passwords to this key pair. Every replica has the same one. */
  readonly sealingKeys: SealingKeyPair;
  /** 32 bytes. Refresh tokens are stored as an HMAC under this pepper. */
  readonly refreshPepper: Buffer;
  readonly signingKeys: SigningKeys;
  readonly passwords: PasswordHasher;
  readonly guesses: GuessLimit;
  readonly countEvent: (event: IdentityEvent) => void;
  /** Announces that cached login sessions of a person are stale. Call it after the commit. */
  readonly announceLoginSessionChange: (change: LoginSessionChange) => void;
}

/** Null with an external OpenID Connect issuer. */
export const IDENTITY = Symbol('Identity');

/** Five failures are free. After them a guesser has about a hundred attempts a day per e-mail address. */
const emailAllowance = { free: 5, firstBlockMs: 30_000, longestBlockMs: 15 * 60_000 };
/** A client address may be shared by several people. */
const addressAllowance = { free: 50, firstBlockMs: 30_000, longestBlockMs: 15 * 60_000 };

export interface IdentityOptions {
  /** 32 bytes. All keys of the embedded identity are derived from it. */
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

/** All keys come from one configured secret. A derived key reveals nothing about the others (RFC 5869). */
function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `agent-gateway identity: ${purpose}`, 32));
}

/** Throws `not_found` when an external issuer replaces the embedded identity. */
export function requireIdentity(identity: Identity | null): Identity {
  if (identity === null) throw new GatewayError('not_found');
  return identity;
}
