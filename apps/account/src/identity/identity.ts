import { sealingKeyPairFromSeed, type SealingKeyPair } from '@gateway/messaging';
import { hkdfSync } from 'node:crypto';
import type { Metrics } from '@gateway/observability';
import type { OwnAccount } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';
import { GuessLimit } from './guess-limit.ts';
import { KnownDevices } from './known-devices.ts';
import { LinkMails, type MailSender } from './link-mails.ts';
import { PasswordHasher } from './password-hasher.ts';
import { SigningKeys } from './signing-keys.ts';
import type { LoginSessionChange } from '../announce/change-announcer.ts';

/** Login session events that the metrics count. */
type IdentityEvent =
  | 'signed-up'
  | 'logged-in'
  | 'wrong-password'
  | 'blocked'
  | 'refreshed'
  | 'reused'
  | 'logged-out'
  | 'password-reset'
  | 'email-verified';

/** Dependencies that the functions of the embedded identity service share. */
export interface Identity {
  readonly database: AccountDatabase;
  /** The `iss` claim of access tokens. */
  readonly issuer: string;
  /** The `aud` claim of access tokens. */
  readonly audience: string;
  readonly accessTokenSeconds: number;
  /** Whether new users may sign up. */
  readonly signUpOpen: boolean;
  /**
   * The key pair with which gateways encrypt passwords and this service decrypts them. All replicas share
   * the key pair.
   */
  readonly sealingKeys: SealingKeyPair;
  /**
   * The pepper for refresh tokens. 32 bytes. The service stores each refresh token as an HMAC keyed with this
   * pepper.
   */
  readonly refreshPepper: Buffer;
  /**
   * The pepper for the tokens of emailed links. 32 bytes. The service stores each emailed token as an HMAC
   * that is keyed with this pepper.
   */
  readonly mailPepper: Buffer;
  readonly signingKeys: SigningKeys;
  readonly passwords: PasswordHasher;
  readonly guesses: GuessLimit;
  readonly devices: KnownDevices;
  /** Sends emails with links. Null if the service cannot send email. */
  readonly linkMails: LinkMails | null;
  readonly countEvent: (event: IdentityEvent) => void;
  /** A callback for an event that could not be added to the audit log. */
  readonly onAuditError: (error: unknown) => void;
  /** Announces that a person's cached login sessions are stale. Callers must first commit the change to the database. */
  readonly announceLoginSessionChange: (change: LoginSessionChange) => void;
}

/** The embedded identity service. Null if an external OpenID Connect issuer is used. */
export const IDENTITY = Symbol('Identity');

export interface IdentityOptions {
  /**
   * The secret of the embedded identity service. 32 bytes. All keys of the embedded identity service are
   * derived from this secret.
   */
  readonly secret: Buffer;
  readonly issuer: string;
  readonly audience: string;
  readonly accessTokenSeconds: number;
  readonly signUpOpen: boolean;
}

export interface IdentityParts extends Pick<Identity, 'announceLoginSessionChange' | 'onAuditError'> {
  readonly database: AccountDatabase;
  readonly metrics: Metrics;
  /**
   * The email sender. Null if the service cannot send email. The field `publicUrl` is the
   * gateway's origin, used in links.
   */
  readonly mail: { readonly sender: MailSender; readonly publicUrl: string } | null;
  /** A callback for emails that could not be sent. The callback receives the id of the recipient. */
  readonly onMailError: (error: unknown, userId: string | null) => void;
}

export function buildIdentity({ secret, ...claims }: IdentityOptions, parts: IdentityParts): Identity {
  const { database, metrics, announceLoginSessionChange, onAuditError } = parts;
  const derive = (purpose: string) => deriveKey(secret, purpose);
  const events = metrics.counter({
    name: 'account_identity_events_total',
    help: 'Events of login sessions: sign-ups, logins, wrong passwords, blocked attempts, refreshes, reused refresh tokens, logouts, password resets, verified e-mail addresses.',
    labels: ['event'],
  });
  const guesses = new GuessLimit(database, derive('guesses'));
  const mailPepper = deriveMailPepper(secret);
  return {
    database,
    ...claims,
    sealingKeys: sealingKeyPairFromSeed(derive('passwords')),
    refreshPepper: derive('refresh tokens'),
    mailPepper,
    signingKeys: new SigningKeys({
      database,
      boxKeys: sealingKeyPairFromSeed(derive('signing keys')),
    }),
    passwords: new PasswordHasher(),
    guesses,
    devices: new KnownDevices(derive('device tokens')),
    linkMails: buildLinkMails({ ...parts, issuer: claims.issuer }, guesses, mailPepper),
    ...{ announceLoginSessionChange, onAuditError },
    countEvent: (event) => events.inc({ event }),
  };
}

function buildLinkMails(
  { mail, database, metrics, onMailError, issuer }: IdentityParts & Pick<Identity, 'issuer'>,
  guesses: GuessLimit,
  mailPepper: Buffer,
): LinkMails | null {
  if (mail === null) return null;
  const mails = metrics.counter({
    name: 'account_mails_total',
    help: 'Mails with links for a new password or for the verification of an e-mail address.',
    labels: ['purpose', 'outcome'],
  });
  const countMail = (purpose: string, outcome: string) => mails.inc({ purpose, outcome });
  return new LinkMails({ ...mail, issuer, database, guesses, mailPepper, countMail, onError: onMailError });
}

/**
 * The pepper for the tokens of emailed links. The operator's command line needs only the pepper for the
 * tokens in emailed links.
 */
export function deriveMailPepper(secret: Buffer): Buffer {
  return deriveKey(secret, 'mail tokens');
}

/**
 * Derives a key for one purpose from the configured secret. A leaked key reveals nothing about the keys for
 * other purposes (RFC 5869).
 */
function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `agent-gateway identity: ${purpose}`, 32));
}

/**
 * Returns the embedded identity service. Throws `not_found` if an external issuer replaces the embedded
 * identity service.
 */
export function requireIdentity(identity: Identity | null): Identity {
  if (identity === null) throw new GatewayError('not_found');
  return identity;
}

/**
 * Describes the login of a person to an account. Returns null if the person does not exist, belongs to another
 * account, or signs in with an external issuer.
 */
export async function describePerson(
  database: AccountDatabase,
  identity: Pick<Identity, 'issuer'> | null,
  { accountId, personId }: { accountId: string; personId: string | null },
): Promise<NonNullable<OwnAccount['person']> | null> {
  if (personId === null || identity === null) return null;
  const where = { id: personId, accountId, issuer: identity.issuer };
  const person = await database.forAccount(accountId).person.findFirst({ where });
  if (person === null) return null;
  const user = await database.acrossAccounts.identityUser.findUnique({ where: { id: person.subject } });
  return user && { email: user.email, email_verified: user.emailVerifiedAt !== null };
}
