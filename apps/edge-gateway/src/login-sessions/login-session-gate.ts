import {
  accountChanged,
  resolveLoginSession,
  loginSessionChanged,
  type ResolvedLoginSession,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { RemoteCache } from '../cache/remote-cache.ts';
import type { LoginSessionVerifier } from './login-session-verifier.ts';
import type { LoginSession, LoginSessionClaims } from './login-session.ts';

type SessionName = Pick<LoginSessionClaims, 'issuer' | 'subject' | 'sessionId'>;

interface CachedSession extends ResolvedLoginSession {
  readonly subjectTag: string;
}

/** Authenticates session tokens. The gate verifies the session token and then looks up the login session. */
export class LoginSessionGate {
  readonly #verifier: Pick<LoginSessionVerifier, 'verify'>;
  /** Cached login sessions. A null entry marks a revoked login session. */
  readonly #cache: RemoteCache<CachedSession | null>;

  constructor(verifier: Pick<LoginSessionVerifier, 'verify'>, messaging: Messaging) {
    this.#verifier = verifier;
    this.#cache = createSessionCache(messaging);
    messaging.onBroadcast(loginSessionChanged, ({ issuer, subject }) => this.forget(issuer, subject));
    messaging.onBroadcast(accountChanged, ({ accountId }) => this.#cache.invalidateTag(accountId));
    messaging.onReconnect(() => this.#cache.doubtAll());
  }

  /**
   * Returns the login session that belongs to a valid session token. Throws `invalid_session_token`
   * (including for a revoked session), `expired_session_token` or `service_unavailable`.
   */
  async authenticate(token: string): Promise<LoginSession> {
    const claims = await this.#verifier.verify(token);
    const cached = await this.#cache.get(renderName(claims));
    if (cached === null) throw new GatewayError('invalid_session_token');
    return { ...claims, accountId: cached.accountId, personId: cached.personId };
  }

  /** Drops a user's cached login sessions immediately, without waiting for the change broadcast. */
  forget(issuer: string, subject: string): void {
    this.#cache.invalidateTag(renderSubject(issuer, subject));
  }
}

/**
 * Creates the cache of login sessions. The cache has the same time limits as the cache of API key grants. A revoked
 * login session ends as quickly as a revoked API key.
 */
function createSessionCache(messaging: Messaging): RemoteCache<CachedSession | null> {
  return new RemoteCache<CachedSession | null>({
    entriesMax: 10_000,
    freshMs: 10_000,
    staleMs: 300_000,
    load: async (key) => {
      const name = parseName(key);
      const { session } = await messaging.call(resolveLoginSession, name);
      return session && { ...session, subjectTag: renderSubject(name.issuer, name.subject) };
    },
    broadcastsArrive: () => messaging.connected,
    // A revoked login session stays revoked, so its cache entry never needs to be invalidated.
    tagsOf: (session) =>
      session === null
        ? []
        : [session.subjectTag, ...(session.accountId === null ? [] : [session.accountId])],
  });
}

/**
 * Renders the cache key of a login session. JSON encoding keeps the cache keys distinct, because issuers and
 * subjects may contain any character.
 */
function renderName({ issuer, subject, sessionId }: SessionName): string {
  return JSON.stringify([issuer, subject, sessionId]);
}

function renderSubject(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject]);
}

function parseName(key: string): SessionName {
  const [issuer, subject, sessionId] = JSON.parse(key) as [string, string, string | null];
  return { issuer, subject, sessionId };
}
