import { resolveSession, sessionChanged, accountChanged, type ResolvedSession } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { RemoteCache } from '../cache/remote-cache.ts';
import type { SessionClaims } from './session.ts';

type Named = Pick<SessionClaims, 'issuer' | 'subject' | 'sessionId'>;

/** Whether sessions stand, and whose they are. Null is a session that was revoked. */
export interface SessionCache {
  get(session: Named): Promise<ResolvedSession | null>;
  /** What is known of a subject's sessions is out of date. */
  forget(issuer: string, subject: string): void;
}

/** As long as what is known of keys (createGrantCache), for the same reasons: a revoked session ends within the same bounds. */
export function createSessionCache(messaging: Messaging): SessionCache {
  const cache = new RemoteCache<ResolvedSession | null>({
    entriesMax: 10_000,
    freshMs: 10_000,
    staleMs: 300_000,
    load: async (key) => (await messaging.call(resolveSession, parseName(key))).session,
    broadcastsArrive: () => messaging.connected,
  });
  const forget = (issuer: string, subject: string) => {
    const beginning = renderSubject(issuer, subject);
    cache.invalidate((_, key) => key.startsWith(beginning));
  };
  messaging.onBroadcast(sessionChanged, ({ issuer, subject }) => forget(issuer, subject));
  messaging.onBroadcast(accountChanged, ({ accountId }) =>
    cache.invalidate((session) => session?.accountId === accountId),
  );
  messaging.onReconnect(() => cache.doubtAll());
  return { get: (session) => cache.get(renderName(session)), forget };
}

/** JSON, since issuers and subjects may hold any character: one's name is never the beginning of another's. */
function renderName({ issuer, subject, sessionId }: Named): string {
  return `${renderSubject(issuer, subject)}${JSON.stringify(sessionId)}]`;
}

function renderSubject(issuer: string, subject: string): string {
  return `[${JSON.stringify(issuer)},${JSON.stringify(subject)},`;
}

function parseName(key: string): Named {
  const [issuer, subject, sessionId] = JSON.parse(key) as [string, string, string | null];
  return { issuer, subject, sessionId };
}
