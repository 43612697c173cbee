import type { SealingKeyPair } from '@gateway/messaging';
import { sealingKeyPairFromSeed } from '@gateway/messaging';
import { hkdfSync } from 'node:crypto';
import type { Metrics } from '@gateway/observability';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';
import { GuessLimit } from './guess-limit.ts';
import { PasswordHasher } from './password-hasher.ts';
import { SigningKeys } from './signing-keys.ts';
import type { LoginSessionChange } from '../announce/change-announcer.ts';

/** What happens to sessions, as operators count it. */
type IdentityEvent =
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
  readonly announceLoginSessionChange: (change: LoginSessionChange) => void;
}

/** Null with an external OpenID Connect issuer. */
export const IDENTITY = Symbol('Identity');

/** Five slips are anybody's; from then on a guesser has about a hundred attempts a day at one e-mail address. */
const emailAllowance = { free: 5, firstBlockMs: 30_000, longestBlockMs: 15 * 60_000 };
/** More people than one may share a client address. */
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
    help: 'What happened to sessions of people: log-ins, wrong passwords, blocked attempts, reused refresh tokens.',
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

/** One secret is configured; no key derived from it says anything of another (RFC 5869). */
function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `agent-gateway identity: ${purpose}`, 32));
}

/** Throws `not_found` when another issuer stands in for the embedded identity. */
export function requireIdentity(identity: Identity | null): Identity {
  if (identity === null) throw new GatewayError('not_found');
  return identity;
}
