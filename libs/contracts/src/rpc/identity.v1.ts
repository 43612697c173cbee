import { z } from 'zod';
import { loginSessionKey } from '../api/session.ts';
import { base64, id, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'account', callers: ['edge-gateway', 'operator'], deadlineMs: 10_000 } as const;

/**
 * The public keys that verify tokens of the embedded identity. `not_found` if the embedded identity is off.
 */
export const getLoginSessionKeys = defineRpc({
  ...common,
  subject: 'account.get-session-keys.v1',
  deadlineMs: 2_000,
  request: z.object({}),
  reply: z.object({ keySet: z.object({ keys: z.array(loginSessionKey) }) }),
});

/**
 * The X25519 public key for sealing passwords before they are sent. All replicas of the account service share
 * it.
 */
export const getIdentitySealingKey = defineRpc({
  ...common,
  subject: 'account.get-identity-sealing-key.v1',
  deadlineMs: 2_000,
  request: z.object({}),
  reply: z.object({ publicKey: base64 }),
});

/** The contents of the sealed box of a sign-up or log-in. */
export const identityCredentials = z.object({ email: z.string(), password: z.string() });
export type IdentityCredentials = z.infer<typeof identityCredentials>;

/** The contents of the sealed box of a reply. */
export const issuedTokens = z.object({ accessToken: z.string(), refreshToken: z.string() });
export type IssuedTokens = z.infer<typeof issuedTokens>;

const issued = z.object({
  sealedTokens: base64,
  /** Seconds, as in OAuth. */
  accessExpiresInSeconds: z.int().positive(),
  refreshExpiresInSeconds: z.int().positive(),
  email: z.string(),
});
const withPassword = z.object({
  /** A sealed box around the JSON of `identityCredentials`. */
  sealedCredentials: base64,
  recipientPublicKey: base64,
});
/** The person's IP address, for counting failed attempts. */
const clientAddress = z.string().min(1).max(64);

/** Throws `email_taken`, `sign_up_closed`, or `invalid_field` for an unusable e-mail address or password. */
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
  request: withPassword.extend({ clientAddress }),
  reply: issued,
});

/**
 * Replaces a refresh token. Using a replaced token ends its login session. Throws `invalid_refresh_token`.
 */
export const refreshLoginSession = defineRpc({
  ...common,
  subject: 'account.refresh-session.v1',
  request: z.object({ refreshSha256: sha256Hex, recipientPublicKey: base64 }),
  reply: issued,
});

/** Ends a login session by its id or its refresh token. Succeeds also if it has already ended. */
export const logOut = defineRpc({
  ...common,
  subject: 'account.log-out.v1',
  request: z.union([z.object({ refreshSha256: sha256Hex }), z.object({ sessionId: id })]),
  reply: z.object({}),
});

/**
 * Replaces a person's password and ends all other login sessions. Throws `invalid_credentials` or
 * `too_many_attempts`.
 */
export const changePassword = defineRpc({
  ...common,
  subject: 'account.change-password.v1',
  request: z.object({
    subject: id,
    sessionId: id,
    /** A sealed box around the JSON of `passwordChange`. */
    sealedPasswords: base64,
    clientAddress,
  }),
  reply: z.object({}),
});
export const passwordChange = z.object({ currentPassword: z.string(), newPassword: z.string() });
export type PasswordChange = z.infer<typeof passwordChange>;

/** The issuer and subject of a session token. A subject is unique only within its issuer. */
export const loginSessionName = z.object({
  issuer: z.string().min(1).max(2_048),
  subject: z.string().min(1).max(255),
  /** Null for an external issuer, whose login sessions the gateway cannot revoke. */
  sessionId: id.nullable(),
});

/** The owner of a login session. Both are null until the person registers an account. */
export const resolvedLoginSession = z.object({ accountId: id.nullable(), personId: id.nullable() });
export type ResolvedLoginSession = z.infer<typeof resolvedLoginSession>;

/** Looks up the owner of a verified token. Null: the login session is revoked or unknown. */
export const resolveLoginSession = defineRpc({
  subject: 'account.resolve-session.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 2_000,
  request: loginSessionName,
  reply: z.object({ session: resolvedLoginSession.nullable() }),
});
