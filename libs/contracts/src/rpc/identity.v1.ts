import { z } from 'zod';
import { loginSessionKey } from '../api/session.ts';
import { base64, id, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'account', callers: ['edge-gateway', 'operator'], deadlineMs: 10_000 } as const;

/** The public keys that verify the embedded identity's session tokens. `not_found` when that identity is off. */
export const getLoginSessionKeys = defineRpc({
  ...common,
  subject: 'account.get-session-keys.v1',
  deadlineMs: 2_000,
  request: z.object({}),
  reply: z.object({ keySet: z.object({ keys: z.array(loginSessionKey) }) }),
});

/** The X25519 public key to which passwords are sealed on their way in. All replicas of the account service share it. */
export const getIdentitySealingKey = defineRpc({
  ...common,
  subject: 'account.get-identity-sealing-key.v1',
  deadlineMs: 2_000,
  request: z.object({}),
  reply: z.object({ publicKey: base64 }),
});

/** Inside the sealed box of a sign-up or log-in. */
export const identityCredentials = z.object({ email: z.string(), password: z.string() });
export type IdentityCredentials = z.infer<typeof identityCredentials>;

/** Inside the sealed box of an answer. */
export const issuedTokens = z.object({ accessToken: z.string(), refreshToken: z.string() });
export type IssuedTokens = z.infer<typeof issuedTokens>;

const issued = z.object({
  sealedTokens: base64,
  /** Seconds, as OAuth counts them. */
  accessExpiresInSeconds: z.int().positive(),
  refreshExpiresInSeconds: z.int().positive(),
  email: z.string(),
});
const withPassword = z.object({
  /** A sealed box around the JSON of `identityCredentials`. */
  sealedCredentials: base64,
  recipientPublicKey: base64,
});
/** Where the person calls from, for the count of failures. */
const clientAddress = z.string().min(1).max(64);

/** Throws `email_taken`, `sign_up_closed`, and `invalid_field` for an e-mail address or password that will not do. */
export const signUp = defineRpc({
  ...common,
  subject: 'account.sign-up.v1',
  request: withPassword,
  reply: issued,
});

/** Throws `invalid_credentials`, and `too_many_attempts` after too many failures. */
export const logIn = defineRpc({
  ...common,
  subject: 'account.log-in.v1',
  request: withPassword.extend({ clientAddress }),
  reply: issued,
});

/** Replaces a refresh token. One that was replaced already ends its session. Throws `invalid_refresh_token`. */
export const refreshLoginSession = defineRpc({
  ...common,
  subject: 'account.refresh-session.v1',
  request: z.object({ refreshSha256: sha256Hex, recipientPublicKey: base64 }),
  reply: issued,
});

/** Ends a session, by its id or its refresh token. One that has ended already is none to complain about. */
export const logOut = defineRpc({
  ...common,
  subject: 'account.log-out.v1',
  request: z.union([z.object({ refreshSha256: sha256Hex }), z.object({ sessionId: id })]),
  reply: z.object({}),
});

/** Replaces a person's password, which ends all other sessions. Throws `invalid_credentials` and `too_many_attempts`. */
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

/** Who issued a session token, and to whom: a subject means nothing without its issuer. */
export const loginSessionName = z.object({
  issuer: z.string().min(1).max(2_048),
  subject: z.string().min(1).max(255),
  /** Null for an issuer whose sessions are not ours to revoke. */
  sessionId: id.nullable(),
});

/** Whose session it is. Both are null until the person has registered an account. */
export const resolvedLoginSession = z.object({ accountId: id.nullable(), personId: id.nullable() });
export type ResolvedLoginSession = z.infer<typeof resolvedLoginSession>;

/** Looks up whose session a verified token is of. Null: the session was revoked, or never was. */
export const resolveLoginSession = defineRpc({
  subject: 'account.resolve-session.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 2_000,
  request: loginSessionName,
  reply: z.object({ session: resolvedLoginSession.nullable() }),
});
