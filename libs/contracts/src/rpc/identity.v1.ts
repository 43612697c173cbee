import { z } from 'zod';
import { loginSessionKey } from '../api/session.ts';
import { fromOrigin } from '../base/actor.ts';
import { base64, id, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'account', callers: ['edge-gateway', 'operator'], deadlineMs: 10_000 } as const;

/**
 * The public keys for verifying tokens issued by the embedded identity provider. Throws `not_found` if that
 * provider is disabled.
 */
export const getLoginSessionKeys = defineRpc({
  ...common,
  subject: 'account.get-session-keys.v1',
  deadlineMs: 2_000,
  request: z.object({}),
  reply: z.object({ keySet: z.object({ keys: z.array(loginSessionKey) }) }),
});

/**
 * The X25519 public key that callers use to seal passwords before sending them. All account service replicas
 * share it.
 */
export const getIdentitySealingKey = defineRpc({
  ...common,
  subject: 'account.get-identity-sealing-key.v1',
  deadlineMs: 2_000,
  request: z.object({}),
  reply: z.object({ publicKey: base64 }),
});

/** The contents of the sealed box in a sign-up or log-in request. */
export const identityCredentials = z.object({ email: z.string(), password: z.string() });
export type IdentityCredentials = z.infer<typeof identityCredentials>;

/** The contents of the sealed box in a reply. */
export const issuedTokens = z.object({ accessToken: z.string(), refreshToken: z.string() });
export type IssuedTokens = z.infer<typeof issuedTokens>;

const issued = z.object({
  sealedTokens: base64,
  /** Lifetime in seconds, as in OAuth. */
  accessExpiresInSeconds: z.int().positive(),
  refreshExpiresInSeconds: z.int().positive(),
  email: z.string(),
});
const withPassword = z.object({
  /** A sealed box that contains `identityCredentials` as JSON. */
  sealedCredentials: base64,
  recipientPublicKey: base64,
});
/** The person's IP address, used to count failed attempts. */
const clientAddress = z.string().min(1).max(64);

/**
 * Throws `email_taken`, `sign_up_closed`, or `invalid_field` if the e-mail address or password is not
 * acceptable.
 */
export const signUp = defineRpc({
  ...common,
  subject: 'account.sign-up.v1',
  request: withPassword,
  reply: issued,
});

/** Throws `invalid_credentials`, or `too_many_attempts` after too many failures. */
export const logIn = defineRpc({
  ...common,
  subject: 'account.log-in.v1',
  request: withPassword.extend({ clientAddress, ...fromOrigin }),
  reply: issued,
});

/**
 * Exchanges a refresh token for a new one. Reusing an exchanged token ends its login session. Throws
 * `invalid_refresh_token`.
 */
export const refreshLoginSession = defineRpc({
  ...common,
  subject: 'account.refresh-session.v1',
  request: z.object({ refreshSha256: sha256Hex, recipientPublicKey: base64, ...fromOrigin }),
  reply: issued,
});

/** Ends a login session by its id or its refresh token. Succeeds even if it has already ended. */
export const logOut = defineRpc({
  ...common,
  subject: 'account.log-out.v1',
  request: z.union([
    z.object({ refreshSha256: sha256Hex, ...fromOrigin }),
    z.object({ sessionId: id, ...fromOrigin }),
  ]),
  reply: z.object({}),
});

/**
 * Changes a person's password and ends all their other login sessions. Throws `invalid_credentials` or
 * `too_many_attempts`.
 */
export const changePassword = defineRpc({
  ...common,
  subject: 'account.change-password.v1',
  request: z.object({
    subject: id,
    sessionId: id,
    /** A sealed box that contains a `passwordChange` as JSON. */
    sealedPasswords: base64,
    clientAddress,
    ...fromOrigin,
  }),
  reply: z.object({}),
});
export const passwordChange = z.object({ currentPassword: z.string(), newPassword: z.string() });
export type PasswordChange = z.infer<typeof passwordChange>;

/** The issuer and subject from a session token. A subject is unique only within its issuer. */
export const loginSessionName = z.object({
  issuer: z.string().min(1).max(2_048),
  subject: z.string().min(1).max(255),
  /** Null for an external issuer. The gateway cannot revoke its login sessions. */
  sessionId: id.nullable(),
});

/**
 * The person and account that a login session belongs to. Both are null until the person registers an
 * account.
 */
export const resolvedLoginSession = z.object({ accountId: id.nullable(), personId: id.nullable() });
export type ResolvedLoginSession = z.infer<typeof resolvedLoginSession>;

/** Looks up the account and person of a verified token. Null means that the login session is revoked or unknown. */
export const resolveLoginSession = defineRpc({
  subject: 'account.resolve-session.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 2_000,
  request: loginSessionName,
  reply: z.object({ session: resolvedLoginSession.nullable() }),
});
