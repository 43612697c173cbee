import { z } from 'zod';
import { loginSessionKey } from '../api/session.ts';
import { fromOrigin } from '../base/actor.ts';
import { base64, id, sha256Hex } from '../base/common.ts';
import { defineRpc, interactiveMs } from '../base/define.ts';

const common = { server: 'account', callers: ['edge-gateway', 'operator'], deadlineMs: 10_000 } as const;

/**
 * Returns the public keys for verifying tokens that the embedded identity service issues. Throws `not_found`
 * if the embedded identity service is disabled.
 */
export const getLoginSessionKeys = defineRpc({
  ...common,
  subject: 'account.get-session-keys.v1',
  deadlineMs: interactiveMs,
  request: z.object({}),
  reply: z.object({ keySet: z.object({ keys: z.array(loginSessionKey) }) }),
});

/**
 * Returns the X25519 public key that callers use to seal passwords. All replicas of the account service share
 * this key pair.
 */
export const getIdentitySealingKey = defineRpc({
  ...common,
  subject: 'account.get-identity-sealing-key.v1',
  deadlineMs: interactiveMs,
  request: z.object({}),
  reply: z.object({ publicKey: base64 }),
});

/**
 * Maximum number of device tokens in one request. A browser that several people share has one device token
 * for each person.
 */
export const deviceTokensMax = 4;
const deviceToken = z.string().min(1).max(1_024);
/** Device tokens in the browser's device cookie. The account service ignores invalid device tokens. */
const deviceTokens = z.array(deviceToken).max(deviceTokensMax).default([]);

/**
 * Returns data about the embedded identity service. Edge gateways need the data before the first sign-in.
 * Throws `not_found` if the embedded identity service is disabled.
 */
export const getIdentitySettings = defineRpc({
  ...common,
  subject: 'account.get-identity-settings.v1',
  deadlineMs: interactiveMs,
  request: z.object({}),
  reply: z.object({
    /**
     * Whether the service can send email. Without email, only the operator can reset a forgotten password.
     */
    sendsMail: z.boolean(),
    /** The Ed25519 public key that verifies device tokens, as 32 raw bytes in base64. */
    deviceKey: base64,
  }),
});

/** The contents of the sealed box in a sign-up or login request. */
export const identityCredentials = z.object({ email: z.string(), password: z.string(), deviceTokens });
export type IdentityCredentials = z.input<typeof identityCredentials>;

/**
 * The contents of the sealed box in a reply to a sign-up, login or refresh request. `deviceToken` identifies
 * the browser as a known device of the person (see `docs/guides/sign-in.md`). The reply to a refresh contains
 * no device token.
 */
export const issuedTokens = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  deviceToken: deviceToken.nullable().default(null),
});
export type IssuedTokens = z.infer<typeof issuedTokens>;

const issued = z.object({
  sealedTokens: base64,
  /** Lifetime of the session token in seconds, as in OAuth. */
  accessExpiresInSeconds: z.int().positive(),
  refreshExpiresInSeconds: z.int().positive(),
  email: z.string(),
  /** Whether the person has proven that the email address belongs to them. */
  emailVerified: z.boolean().default(false),
});
const withPassword = z.object({
  /** A sealed box that contains `identityCredentials` as JSON. */
  sealedCredentials: base64,
  recipientPublicKey: base64,
});
/** The person's IP address or IPv6 network (`<16 hex digits>/64`), used to count failed sign-in attempts. */
const clientAddress = z.string().min(1).max(64);

/**
 * Registers a person. Throws `email_taken` or `sign_up_closed`. Throws `invalid_field` if the email address
 * or password does not meet the requirements.
 */
export const signUp = defineRpc({
  ...common,
  subject: 'account.sign-up.v1',
  request: withPassword,
  reply: issued,
});

/**
 * Logs in a person. Throws `invalid_credentials` if the email address or password is wrong. Throws
 * `too_many_attempts` after too many failed attempts from an unknown device.
 */
export const logIn = defineRpc({
  ...common,
  subject: 'account.log-in.v1',
  request: withPassword.extend({ clientAddress, ...fromOrigin }),
  reply: issued,
});

/**
 * Exchanges a refresh token for a new refresh token. A second exchange of the same refresh token ends the
 * login session. Throws `invalid_refresh_token` for an unknown or expired token.
 */
export const refreshLoginSession = defineRpc({
  ...common,
  subject: 'account.refresh-session.v1',
  request: z.object({ refreshSha256: sha256Hex, recipientPublicKey: base64, ...fromOrigin }),
  reply: issued,
});

/**
 * Ends the login session that has the given id or refresh token. The call succeeds even if the login session
 * has already ended.
 */
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
 * Changes a person's password and ends all other login sessions of the person. Throws `invalid_credentials`
 * or `too_many_attempts`.
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
    /**
     * The public key with which the account service seals the new device token. The public key is null if the
     * caller does not use device cookies.
     */
    recipientPublicKey: base64.nullable().default(null),
  }),
  /** `sealedDevice` is a sealed box that contains an `issuedDevice` as JSON. */
  reply: z.object({ sealedDevice: base64.nullable().default(null) }),
});
export const passwordChange = z.object({ currentPassword: z.string(), newPassword: z.string() });
export type PasswordChange = z.infer<typeof passwordChange>;
export const issuedDevice = z.object({ deviceToken });

/**
 * Sends a password reset link to an email address. The reply is the same for an unknown address, and is
 * sent before the address is looked up. Throws `mail_not_configured` and `too_many_attempts`.
 */
export const requestPasswordReset = defineRpc({
  ...common,
  subject: 'account.request-password-reset.v1',
  request: z.object({ email: z.string(), clientAddress, ...fromOrigin }),
  reply: z.object({}),
});

/** The contents of the sealed box in a request that resets a password. */
export const passwordReset = z.object({ token: z.string(), newPassword: z.string() });
export type PasswordReset = z.infer<typeof passwordReset>;

/**
 * Sets a new password with the token from a password reset link. The call ends all login sessions of the person.
 * All device tokens of the person are revoked, except the token in the reply. Throws `invalid_mail_token` if the
 * password reset link is invalid. Throws `invalid_field` if the password does not meet the requirements.
 */
export const resetPassword = defineRpc({
  ...common,
  subject: 'account.reset-password.v1',
  request: z.object({
    /** A sealed box that contains a `passwordReset` as JSON. */
    sealedReset: base64,
    recipientPublicKey: base64,
    ...fromOrigin,
  }),
  /** `sealedDevice` is a sealed box that contains an `issuedDevice` as JSON. */
  reply: z.object({ email: z.string(), sealedDevice: base64 }),
});

/**
 * Sends the person an email with a verification link. By opening the link, the person proves that the email
 * address belongs to them. The call does nothing if the address is already verified. Throws
 * `mail_not_configured` and `too_many_attempts`.
 */
export const requestEmailVerification = defineRpc({
  ...common,
  subject: 'account.request-email-verification.v1',
  request: z.object({ subject: id, clientAddress, ...fromOrigin }),
  reply: z.object({}),
});

/** The contents of the sealed box in a request that verifies an email address. */
export const emailVerification = z.object({ token: z.string() });

/** Marks an email address as verified. Throws `invalid_mail_token`. */
export const verifyEmail = defineRpc({
  ...common,
  subject: 'account.verify-email.v1',
  request: z.object({
    /** A sealed box that contains an `emailVerification` as JSON. */
    sealedToken: base64,
    ...fromOrigin,
  }),
  reply: z.object({ email: z.string() }),
});

/** The issuer and the subject of a session token. A subject is unique only within its issuer. */
export const loginSessionName = z.object({
  issuer: z.string().min(1).max(2_048),
  subject: z.string().min(1).max(255),
  /**
   * The id of the login session. The id is null for an external issuer, because the gateway cannot revoke the
   * external issuer's login sessions.
   */
  sessionId: id.nullable(),
});

/**
 * The person and the account to which a login session belongs. The person and the account are null until the
 * person registers an account.
 */
export const resolvedLoginSession = z.object({ accountId: id.nullable(), personId: id.nullable() });
export type ResolvedLoginSession = z.infer<typeof resolvedLoginSession>;

/** Looks up the account and person of a verified token. Null means that the login session is revoked or unknown. */
export const resolveLoginSession = defineRpc({
  subject: 'account.resolve-session.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: interactiveMs,
  request: loginSessionName,
  reply: z.object({ session: resolvedLoginSession.nullable() }),
});
