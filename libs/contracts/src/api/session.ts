import { z } from 'zod';

/** Size limits only. The account service validates the values themselves. */
const email = z.string().min(3).max(320);
const password = z.string().min(1).max(1_024);
const refreshToken = z.string().min(1).max(256);

/**
 * Where the response returns the refresh token for a new login session: in an HttpOnly cookie, or in the body
 * (for programs).
 */
const refreshTokenIn = z.enum(['cookie', 'body']).default('cookie');

export const logInBody = z.strictObject({ email, password, refresh_token_in: refreshTokenIn });
export type LogInBody = z.infer<typeof logInBody>;

/** If the body has no refresh token, the cookie is used. */
export const refreshBody = z.strictObject({ refresh_token: refreshToken.optional() });

export const changePasswordBody = z.strictObject({ current_password: password, new_password: password });

export const session = z.object({
  object: z.literal('session'),
  /** Session token, sent as `Authorization: Bearer`. */
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  /** Lifetime in seconds, as in OAuth. */
  expires_in: z.int().positive(),
  /** Present only if the client requested it; otherwise the refresh token is in a cookie. */
  refresh_token: z.string().optional(),
  refresh_token_expires_in: z.int().positive(),
  email: z.string(),
});
export type SessionBody = z.infer<typeof session>;

export const endedSession = z.object({ object: z.literal('session.ended'), ended: z.literal(true) });
export const changedPassword = z.object({ object: z.literal('password.changed'), changed: z.literal(true) });

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
