import { join } from 'node:path';
import type { Messaging, SealingKeyPair } from '@gateway/messaging';
import type { EgressGuard } from '@gateway/providers';
import type { Config } from './config.ts';
import { openDashboard, type Dashboard } from './dashboard/dashboard.ts';
import { IdentityClient } from './login-sessions/identity-client.ts';
import { LoginSessionGate } from './login-sessions/login-session-gate.ts';
import { LoginSessionVerifier } from './login-sessions/login-session-verifier.ts';
import { createOidcKeySet, VerificationKeys } from './login-sessions/verification-keys.ts';
import type { AuthSettings } from './routes/sign-in/browser-request.ts';
import { StaticFiles } from './static-files/static-files.ts';

/** The services used for sign-in, the dashboard and the documentation. */
export interface LoginParts {
  readonly loginSessions: LoginSessionGate;
  /**
   * The client of the embedded identity service. Null if an OpenID Connect issuer replaces the embedded
   * identity service.
   */
  readonly identity: IdentityClient | null;
  readonly authSettings: AuthSettings;
  readonly dashboard: Dashboard;
  /** The documentation pages, rendered as HTML. */
  readonly docsFiles: StaticFiles;
}

export interface LoginPartsOptions {
  readonly config: Config;
  readonly messaging: Messaging;
  readonly sealingKeys: SealingKeyPair;
  readonly egressGuard: EgressGuard;
}

/**
 * Builds the verifier for session tokens, either for the embedded identity service or for the configured
 * OpenID Connect issuer.
 */
export function buildLoginParts(
  options: LoginPartsOptions,
): LoginParts & { readonly closeKeys: () => Promise<void> } {
  const { config, messaging } = options;
  const { verifier, identity, closeKeys } = buildVerifier(options);
  return {
    loginSessions: new LoginSessionGate(verifier, messaging),
    identity,
    authSettings: { rateLimitRpm: config.AUTH_RATE_LIMIT_RPM },
    dashboard: openDashboard(config),
    docsFiles: StaticFiles.open(join(import.meta.dirname, 'docs')),
    closeKeys,
  };
}

function buildVerifier({ config, messaging, sealingKeys, egressGuard }: LoginPartsOptions) {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_ALGORITHMS: algorithms } = config;
  if (issuer !== undefined && audience !== undefined) {
    const { fetchKeySet, close } = createOidcKeySet(issuer, egressGuard);
    const keys = new VerificationKeys({ fetchKeySet });
    const verifier = new LoginSessionVerifier({ issuer, audience, algorithms, keys, needsSessionId: false });
    return { verifier, identity: null, closeKeys: close };
  }
  const identity = new IdentityClient(messaging, sealingKeys);
  const verifier = new LoginSessionVerifier({
    issuer: config.SESSION_ISSUER,
    audience: config.SESSION_AUDIENCE,
    algorithms: ['ES256'],
    keys: new VerificationKeys({ fetchKeySet: () => identity.keySet() }),
    needsSessionId: true,
  });
  return { verifier, identity, closeKeys: () => Promise.resolve() };
}
