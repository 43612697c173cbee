import { z } from 'zod';

/**
 * The schemas check only the size of email addresses, passwords and tokens. The account service validates
 * email addresses, passwords and tokens.
 */
const email = z.string().min(3).max(320);
const password = z.string().min(1).max(1_024);
const refreshToken = z.string().min(1).max(256);

/**
 * Specifies how the response returns the refresh token of a new login session. Browsers use `cookie` to get an
 * HttpOnly cookie. Other programs use `body` to get the token in the response body.
 */
const refreshTokenIn = z.enum(['cookie', 'body']).default('cookie');

export const logInBody = z.strictObject({ email, password, refresh_token_in: refreshTokenIn });
export type LogInBody = z.infer<typeof logInBody>;

/**
 * The body of a request for a new session token. If the body has no refresh token, the gateway reads the
 * refresh token from the cookie.
 */
export const refreshBody = z.strictObject({ refresh_token: refreshToken.optional() });

export const changePasswordBody = z.strictObject({ current_password: password, new_password: password });

/**
 * The token in a link that was sent by email. The token has 43 characters after the prefix `mt-svc-`. Each
 * link token can be used only once. A password reset link is valid for one hour, or for 24 hours if an
 * operator created the link on the command line. An email verification link is valid for 24 hours.
 */
const mailToken = z
  .string()
  .min(1)
  .max(256)
  .meta({ description: 'The token after `#token=` in the link.', examples: [`mt-svc-${'A'.repeat(43)}`] });

export const forgotPasswordBody = z.strictObject({
  email: email.meta({ description: 'The e-mail address of the login.', examples: ['me@example.com'] }),
});
export const resetPasswordBody = z.strictObject({
  token: mailToken,
  new_password: password.meta({
    description: '12 to 256 characters.',
    examples: ['a long sentence is fine'],
  }),
});
export const verifyEmailBody = z.strictObject({ token: mailToken });

export const session = z.object({
  object: z.literal('session'),
  /** The session token, which clients send in the header `Authorization: Bearer`. */
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  /** Lifetime of the session token in seconds, as in OAuth. */
  expires_in: z.int().positive(),
  /**
   * The refresh token, if the client requested the refresh token in the body. If the field is absent, a
   * cookie contains the refresh token.
   */
  refresh_token: z.string().optional(),
  refresh_token_expires_in: z.int().positive(),
  email: z.string(),
  /** Whether the person opened the link in an email to this address. */
  email_verified: z.boolean().meta({
    description: 'Whether the user has verified the address with the link in an e-mail.',
    examples: [true],
  }),
});
export type SessionBody = z.infer<typeof session>;

export const endedSession = z.object({ object: z.literal('session.ended'), ended: z.literal(true) });
export const changedPassword = z.object({ object: z.literal('password.changed'), changed: z.literal(true) });

/** The response to a request for a password reset link, identical for known and unknown email addresses. */
export const requestedPasswordReset = z.object({
  object: z.literal('password_reset.requested'),
  requested: z.literal(true),
});
export const requestedEmailVerification = z.object({
  object: z.literal('email_verification.requested'),
  requested: z.literal(true),
});
const verifiedAddress = z
  .string()
  .meta({ description: 'The e-mail address of the login.', examples: ['me@example.com'] });
export const resetPasswordDone = z.object({
  object: z.literal('password.reset'),
  reset: z.literal(true),
  email: verifiedAddress,
});
export const verifiedEmail = z.object({
  object: z.literal('email.verified'),
  verified: z.literal(true),
  email: verifiedAddress,
});

/** A public key of the embedded identity provider, as a JSON Web Key (RFC 7517). */
export const loginSessionKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
});
export type LoginSessionKey = z.infer<typeof loginSessionKey>;

/** A JWK set (RFC 7517 §5). */
export const sessionKeySet = z.object({ keys: z.array(loginSessionKey) });

export const registerBody = z.strictObject({ name: z.string().trim().min(1).max(200).optional() });
