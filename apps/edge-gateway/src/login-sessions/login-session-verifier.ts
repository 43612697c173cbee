import { GatewayError } from '@gateway/errors';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Strategy, type SecretOrKeyProvider } from 'passport-jwt';
import { z } from 'zod';
import type { SessionAlgorithm, LoginSessionClaims } from './login-session.ts';
import { sessionTokenBytesMax } from './login-session.ts';
import type { VerificationKeys } from './verification-keys.ts';

export interface LoginSessionVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  /** The only accepted signature algorithms, regardless of the algorithm in the token's header. */
  readonly algorithms: readonly SessionAlgorithm[];
  readonly keys: Pick<VerificationKeys, 'find'>;
  /**
   * Whether a session token must contain a session id. Without a session id, login sessions of the embedded
   * identity service could not be revoked.
   */
  readonly needsSessionId: boolean;
}

const claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  // The schema requires an expiry, because the library jsonwebtoken accepts a token without an expiry.
  exp: z.number(),
  sid: z.unknown().optional(),
});

/** The request object that passport passes to a strategy and to `jwtFromRequest`. */
interface Carrier {
  readonly token: string;
}

/**
 * Verifies session tokens with passport-jwt. The verifier checks the algorithm, `iss`, `aud`, `exp` and
 * `nbf`, and checks the signature with the issuer's key set. Verification results are not cached, so every
 * session token is fully verified.
 */
export class LoginSessionVerifier {
  readonly #strategy: Strategy;
  readonly #options: LoginSessionVerifierOptions;

  constructor(options: LoginSessionVerifierOptions) {
    this.#options = options;
    this.#strategy = new Strategy(
      {
        jwtFromRequest: (carrier: unknown) => (carrier as Carrier).token,
        secretOrKeyProvider: this.#provideKey,
        algorithms: [...options.algorithms],
        issuer: options.issuer,
        audience: options.audience,
      },
      (payload: unknown, done) => done(null, claims.safeParse(payload).data ?? false),
    );
  }

  /**
   * Verifies a session token and returns the claims of the token. Throws `expired_session_token`,
   * `service_unavailable`, or `invalid_session_token` for any other problem.
   */
  async verify(token: string): Promise<LoginSessionClaims> {
    if (token.length > sessionTokenBytesMax) throw new GatewayError('invalid_session_token');
    const { iss, sub, sid, exp } = claims.parse(await this.#run({ token }));
    const claimed = { issuer: iss, subject: sub, expiresAtMs: exp * 1000 };
    // The gateway ignores session ids in tokens from other issuers.
    if (!this.#options.needsSessionId) return { ...claimed, sessionId: null };
    const sessionId = z.uuid().safeParse(sid);
    if (!sessionId.success) throw new GatewayError('invalid_session_token');
    return { ...claimed, sessionId: sessionId.data };
  }

  /**
   * Runs the strategy in the same way as passport does. Each call derives an object from the strategy and adds the
   * callbacks `success`, `fail` and `error`.
   */
  #run(carrier: Carrier): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const attempt = Object.create(this.#strategy) as Strategy;
      attempt.success = resolve;
      attempt.fail = (reason: unknown) => reject(mapFailure(reason));
      attempt.error = (error: unknown) => reject(mapFailure(error));
      attempt.authenticate(carrier as unknown as Parameters<Strategy['authenticate']>[0]);
    });
  }

  readonly #provideKey: SecretOrKeyProvider = (_request, token: unknown, done) => {
    this.#findKey(String(token)).then(
      (key) => done(null, key),
      (error: unknown) => done(error),
    );
  };

  /**
   * Reads a token's header before the token is verified. The unverified header is used only to choose a
   * verification key, or to reject the token without fetching keys.
   */
  async #findKey(token: string): Promise<string> {
    const { alg, kid, crit, iss } = readUnverified(token);
    if (iss !== this.#options.issuer) throw new GatewayError('invalid_session_token');
    const known = this.#options.algorithms.find((algorithm) => algorithm === alg);
    if (known === undefined || typeof kid !== 'string' || crit !== undefined)
      throw new GatewayError('invalid_session_token');
    const key = await this.#options.keys.find(known, kid);
    if (key === null) throw new GatewayError('invalid_session_token');
    return key;
  }
}

function readUnverified(token: string): { alg?: unknown; kid?: unknown; crit?: unknown; iss?: unknown } {
  try {
    return { ...decodeProtectedHeader(token), iss: decodeJwt(token).iss };
  } catch (cause) {
    throw new GatewayError('invalid_session_token', { cause });
  }
}

function mapFailure(reason: unknown): GatewayError {
  if (reason instanceof GatewayError) return reason;
  const isExpired = reason instanceof Error && reason.name === 'TokenExpiredError';
  return new GatewayError(isExpired ? 'expired_session_token' : 'invalid_session_token', { cause: reason });
}
