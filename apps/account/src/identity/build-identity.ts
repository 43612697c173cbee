import { hkdfSync } from 'node:crypto';
import { sealingKeyPairFromSeed } from '@gateway/messaging';
import type { Metrics } from '@gateway/observability';
import type { Config } from '../config.ts';
import type { AccountDatabase } from '../persistence/account-database.ts';
import { GuessLimit } from './guess-limit.ts';
import type { Identity } from './identity.ts';
import { PasswordHasher } from './password-hasher.ts';
import { SigningKeys } from './signing-keys.ts';

/** Five slips are anybody's; from then on a guesser has about a hundred attempts a day at one e-mail address. */
const emailAllowance = { free: 5, firstBlockMs: 30_000, longestBlockMs: 15 * 60_000 };
/** More people than one may share a client address. */
const addressAllowance = { free: 50, firstBlockMs: 30_000, longestBlockMs: 15 * 60_000 };

export interface IdentitySurroundings extends Pick<Identity, 'announceSessionChange'> {
  readonly config: Config;
  readonly database: AccountDatabase;
  readonly metrics: Metrics;
}

/** The embedded identity; null when an OpenID Connect issuer stands in for it. */
export function buildIdentity(surroundings: IdentitySurroundings): Identity | null {
  const { config, database, metrics, announceSessionChange } = surroundings;
  if (config.OIDC_ISSUER !== undefined) return null;
  const derive = (purpose: string) => deriveKey(config.SESSION_SECRET, purpose);
  const boxKeys = sealingKeyPairFromSeed(derive('signing keys'));
  const events = metrics.counter({
    name: 'account_identity_events_total',
    help: 'What happened to sessions of people: log-ins, wrong passwords, blocked attempts, reused refresh tokens.',
    labels: ['event'],
  });
  return {
    database,
    issuer: config.SESSION_ISSUER,
    audience: config.SESSION_AUDIENCE,
    accessTokenSeconds: config.SESSION_TOKEN_SECONDS,
    signUpOpen: config.SIGN_UP === 'open',
    sealingKeys: sealingKeyPairFromSeed(derive('passwords')),
    refreshPepper: derive('refresh tokens'),
    signingKeys: new SigningKeys({ database, boxKeys }),
    passwords: new PasswordHasher(),
    guesses: new GuessLimit(database, derive('guesses'), {
      email: emailAllowance,
      address: addressAllowance,
    }),
    announceSessionChange,
    countEvent: (event) => events.inc({ event }),
  };
}

/** One secret is configured; no key derived from it says anything of another (RFC 5869). */
function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `agent-gateway identity: ${purpose}`, 32));
}
