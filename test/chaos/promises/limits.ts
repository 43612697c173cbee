import { isChat, isServed, type CausedFault, type History, type Operation } from '../history.ts';

const windowMs = 60_000;
/** The time in milliseconds from a data loss in Redis until every edge has reported its request counts. */
const reportedMs = 2_000;

/** A Redis server without durable storage loses its data when the server is killed or emptied. */
const losesRates = ({ kind, target }: CausedFault): boolean =>
  target === 'redis-cache' && (kind === 'flush' || kind === 'kill');

/**
 * In any 60-second period, the number of a key's served requests stays within its limit. After a data loss in
 * Redis, requests may exceed the limit until all edges have reported their counts.
 */
export function rateWindowsHold(history: History): string[] {
  return history.limitedKeys.flatMap(({ keyId, rateLimitRpm }) => {
    if (rateLimitRpm === null) return [];
    const served = history.operations
      .filter((each) => each.keyId === keyId && isChat(each) && each.status === 200)
      .toSorted((one, other) => one.startMs - other.startMs);
    const broken = served.flatMap(({ startMs }) => {
      const inside = served.filter((each) => each.startMs >= startMs && each.endMs <= startMs + windowMs);
      const unreported = inside.filter((each) => isUnreported(history, each)).length;
      const admitted = inside.length - unreported;
      return admitted > rateLimitRpm
        ? [`${keyId}: ${admitted} of ${rateLimitRpm} requests in 60 s after ${Math.round(startMs)} ms`]
        : [];
    });
    return broken.slice(0, 1);
  });
}

function isUnreported(history: History, { startMs, endMs }: Operation): boolean {
  return history.faults.some(
    (fault) => losesRates(fault) && startMs <= fault.endedMs + reportedMs && endMs >= fault.startedMs,
  );
}

/**
 * The tokens saved for a key exceed its daily budget by at most one request's savings. A killed edge loses at
 * most the savings of its open requests.
 */
export function budgetsHold(history: History): string[] {
  return history.limitedKeys.flatMap(({ keyId, dailyTokenBudget }) => {
    if (dailyTokenBudget === null) return [];
    const rows = history.rows.filter((row) => row.keyId === keyId && row.netSaved > 0);
    const saved = rows.reduce((total, { netSaved }) => total + netSaved, 0);
    const largest = Math.max(0, ...rows.map(({ netSaved }) => netSaved));
    const lost = history.faults
      .filter(({ kind, target }) => kind === 'kill' && target.startsWith('edge-gateway'))
      .reduce((count, fault) => count + countServing(history, keyId, fault), 0);
    const allowed = dailyTokenBudget + largest * (1 + lost);
    return saved > allowed ? [`${keyId} saved ${saved} tokens, but at most ${allowed} are allowed`] : [];
  });
}

/** The maximum time in milliseconds until an edge sends the savings of a finished request to Redis. */
const settledMs = 200;

function countServing(history: History, keyId: string, { target, startedMs }: CausedFault): number {
  return history.operations.filter(
    (each) =>
      each.keyId === keyId &&
      each.edge === target &&
      isServed(each) &&
      each.startMs <= startedMs &&
      each.endMs + settledMs >= startedMs,
  ).length;
}
