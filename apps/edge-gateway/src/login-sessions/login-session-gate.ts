import { GatewayError } from '@gateway/errors';
import type { ResolvedLoginSession } from '@gateway/contracts';
import { accountChanged, resolveLoginSession, loginSessionChanged } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { SessionVerifier } from './login-session-verifier.ts';
import type { Session, SessionClaims } from './login-session.ts';
import { RemoteCache } from '../cache/remote-cache.ts';

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

type Named = Pick<SessionClaims, 'issuer' | 'subject' | 'sessionId'>;

interface KeptSession extends ResolvedLoginSession {
  readonly subjectTag: string;
}

/** Whether sessions stand, and whose they are. Null is a session that was revoked. */
interface SessionCache {
  get(session: Named): Promise<ResolvedLoginSession | null>;
  /** What is known of a subject's sessions is out of date. */
  forget(issuer: string, subject: string): void;
}

/** As long as what is known of keys (GrantCache), for the same reasons: a revoked session ends within the same bounds. */
export function createSessionCache(messaging: Messaging): SessionCache {
  const cache = new RemoteCache<KeptSession | null>({
    entriesMax: 10_000,
    freshMs: 10_000,
    staleMs: 300_000,
    load: async (key) => {
      const named = parseName(key);
      const { session } = await messaging.call(resolveLoginSession, named);
      return session && { ...session, subjectTag: renderSubject(named.issuer, named.subject) };
    },
    broadcastsArrive: () => messaging.connected,
    // A session that was revoked never stands again, so nothing needs to find it.
    tagsOf: (session) =>
      session === null
        ? []
        : [session.subjectTag, ...(session.accountId === null ? [] : [session.accountId])],
  });
  const forget = (issuer: string, subject: string) => cache.invalidateTag(renderSubject(issuer, subject));
  messaging.onBroadcast(loginSessionChanged, ({ issuer, subject }) => forget(issuer, subject));
  messaging.onBroadcast(accountChanged, ({ accountId }) => cache.invalidateTag(accountId));
  messaging.onReconnect(() => cache.doubtAll());
  return {
    get: async (session) => {
      const kept = await cache.get(renderName(session));
      return kept && { accountId: kept.accountId, personId: kept.personId };
    },
    forget,
  };
}

/** JSON, since issuers and subjects may hold any character: no two names are written alike. */
function renderName({ issuer, subject, sessionId }: Named): string {
  return JSON.stringify([issuer, subject, sessionId]);
}

function renderSubject(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject]);
}

function parseName(key: string): Named {
  const [issuer, subject, sessionId] = JSON.parse(key) as [string, string, string | null];
  return { issuer, subject, sessionId };
}
