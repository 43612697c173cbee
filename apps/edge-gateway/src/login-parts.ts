import type { Messaging, SealingKeyPair } from '@gateway/messaging';
import type { EgressGuard } from '@gateway/providers';
import type { Config } from './config.ts';
import { openDashboard, type Dashboard } from './dashboard/dashboard.ts';
import type { AuthSettings } from './routes/sign-in/browser-request.ts';
import { IdentityClient } from './login-sessions/identity-client.ts';
import { createOidcKeySet, VerificationKeys } from './login-sessions/verification-keys.ts';
import {
  createSessionCache,
  createSessionGate,
  type SessionGate,
} from './login-sessions/login-session-gate.ts';
import { SessionVerifier } from './login-sessions/login-session-verifier.ts';

/** What routes for people need. */
export interface PeopleParts {
  readonly sessions: SessionGate;
  /** Null when an OpenID Connect issuer stands in for the embedded identity. */
  readonly identity: IdentityClient | null;
  readonly authSettings: AuthSettings;
  readonly dashboard: Dashboard;
}

interface Surroundings {
  readonly config: Config;
  readonly messaging: Messaging;
  readonly sealingKeys: SealingKeyPair;
  readonly egressGuard: EgressGuard;
}

type Closing = { readonly closeKeys: () => Promise<void> };

/** One verifier, whoever the issuer is: the embedded identity, or the OpenID Connect issuer that is configured. */
export function buildPeopleParts(surroundings: Surroundings): PeopleParts & Closing {
  const { config, messaging } = surroundings;
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience } = config;
  const cache = createSessionCache(messaging);
  const authSettings = { rateLimitRpm: config.AUTH_RATE_LIMIT_RPM };
  const dashboard = openDashboard(config);
  if (issuer === undefined || audience === undefined) {
    const { identity, verifier } = buildEmbedded(surroundings);
    const closeKeys = () => Promise.resolve();
    return { sessions: createSessionGate(verifier, cache), identity, authSettings, dashboard, closeKeys };
  }
  const { fetchKeySet, close } = createOidcKeySet(issuer, surroundings.egressGuard);
  const verifier = new SessionVerifier({
    issuer,
    audience,
    algorithms: config.OIDC_ALGORITHMS,
    keys: new VerificationKeys({ fetchKeySet }),
    needsSessionId: false,
  });
  const sessions = createSessionGate(verifier, cache);
  return { sessions, identity: null, authSettings, dashboard, closeKeys: close };
}

function buildEmbedded({ config, messaging, sealingKeys }: Surroundings) {
  const identity = new IdentityClient(messaging, sealingKeys);
  const verifier = new SessionVerifier({
    issuer: config.SESSION_ISSUER,
    audience: config.SESSION_AUDIENCE,
    algorithms: ['ES256'],
    keys: new VerificationKeys({ fetchKeySet: () => identity.keySet() }),
    needsSessionId: true,
  });
  return { identity, verifier };
}
