import { GatewayError } from '@gateway/errors';
import type { SessionCache } from './session-cache.ts';
import type { SessionVerifier } from './session-verifier.ts';
import type { Session } from './session.ts';

/** Session token → whose session it is. */
export interface SessionGate {
  /** Throws `invalid_session_token`, also for a revoked session, `expired_session_token` or `service_unavailable`. */
  authenticate(token: string): Promise<Session>;
  /** Asks anew about a subject from now on, without waiting for the broadcast that says so. */
  forget(issuer: string, subject: string): void;
}

export function createSessionGate(
  verifier: Pick<SessionVerifier, 'verify'>,
  cache: SessionCache,
): SessionGate {
  return {
    authenticate: async (token) => {
      const claims = await verifier.verify(token);
      const resolved = await cache.get(claims);
      if (resolved === null) throw new GatewayError('invalid_session_token');
      return { ...claims, ...resolved };
    },
    forget: (issuer, subject) => cache.forget(issuer, subject),
  };
}
