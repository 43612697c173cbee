import { getSessionKeys } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { EgressGuard } from '@gateway/providers';
import type { Config } from '../config.ts';
import { createOidcKeySet } from './oidc-key-set.ts';
import { createSessionCache } from './session-cache.ts';
import { createSessionGate, type SessionGate } from './session-gate.ts';
import { SessionVerifier } from './session-verifier.ts';
import { VerificationKeys } from './verification-keys.ts';

/** One verifier, whoever the issuer is: the embedded identity, or the OpenID Connect issuer that is configured. */
export function buildSessionGate(
  config: Config,
  messaging: Messaging,
  egressGuard: EgressGuard,
): { sessions: SessionGate; closeSessions: () => Promise<void> } {
  const cache = createSessionCache(messaging);
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience } = config;
  if (issuer === undefined || audience === undefined) {
    const fetchKeySet = async () => (await messaging.call(getSessionKeys, {})).keySet;
    const verifier = new SessionVerifier({
      issuer: config.SESSION_ISSUER,
      audience: config.SESSION_AUDIENCE,
      algorithms: ['ES256'],
      keys: new VerificationKeys({ fetchKeySet }),
      needsSessionId: true,
    });
    return { sessions: createSessionGate(verifier, cache), closeSessions: () => Promise.resolve() };
  }
  const { fetchKeySet, close } = createOidcKeySet(issuer, egressGuard);
  const verifier = new SessionVerifier({
    issuer,
    audience,
    algorithms: config.OIDC_ALGORITHMS,
    keys: new VerificationKeys({ fetchKeySet }),
    needsSessionId: false,
  });
  return { sessions: createSessionGate(verifier, cache), closeSessions: close };
}
