import { isChat, type CausedFault, type History, type Operation } from '../history.ts';
import { excusedMs } from './records.ts';

/** Maximum duration of any request, in milliseconds. */
const slowestMs = 10_000;
/** The documented maximum time in milliseconds from the end of a fault until all requests succeed. */
export const recoveredMs = 20_000;

/** No response has the code `internal_error`. */
export function noInternalError({ operations }: History): string[] {
  return operations
    .filter(({ code, status }) => code === 'internal_error' || (status === 500 && code !== 'provider_error'))
    .map(({ id, kind, code }) => `${id} (${kind}) returned ${code ?? 'status 500'}`);
}

/** No request takes longer than ten seconds, unless the edge that received the request was stopped. */
export function nothingTakesTooLong(history: History): string[] {
  return history.operations.flatMap((operation) => {
    const tookMs = operation.endMs - operation.startMs - excusedMs(history, operation);
    return tookMs > slowestMs
      ? [`${operation.id} (${operation.kind}) took ${Math.round(tookMs)} ms on ${operation.edge}`]
      : [];
  });
}

/** The maximum time in milliseconds until a request fails because a service or database does not respond. */
const failedMs = 2_000;
/** Extra time for a busy machine, in milliseconds. */
const busyMs = 1_500;

/** A request that fails with `service_unavailable` fails within two seconds. */
export function failuresAreFast(history: History): string[] {
  return history.operations.flatMap((operation) => {
    if (operation.code !== 'service_unavailable') return [];
    const tookMs = operation.endMs - operation.startMs - excusedMs(history, operation);
    return tookMs > failedMs + busyMs
      ? [`${operation.id} (${operation.kind}) failed after ${Math.round(tookMs)} ms on ${operation.edge}`]
      : [];
  });
}

/** After the last fault, requests of all kinds succeed again within the documented time. */
export function everythingRecovers({ recoveryMs }: History): string[] {
  return recoveryMs > recoveredMs ? [`the recovery took ${Math.round(recoveryMs)} ms`] : [];
}

/** No log contains a secret. */
export function logsHaveNoSecrets({ leaks }: History): string[] {
  return [...leaks];
}

/** The parts of the gateway on which a request may depend. */
export type Dependency =
  | 'account'
  | 'provider-vault'
  | 'account-database'
  | 'vault-database'
  | 'telemetry-database'
  | 'billing-database'
  | 'redis'
  | 'redis-cache'
  | 'nats'
  | 'upstream'
  | 'edge'
  | 'other';

const databases: Readonly<Record<string, Dependency>> = {
  account: 'account-database',
  vault: 'vault-database',
  telemetry: 'telemetry-database',
  billing: 'billing-database',
};

/** For requests to the given edge, returns the dependencies that a fault affects. */
export function dependenciesOf({ kind, target }: CausedFault, edge: string): Dependency[] {
  if (kind === 'cut-link' || kind === 'stall-link') return edge === 'far-edge' ? [target as Dependency] : [];
  if (kind === 'lock' || kind === 'terminate') return [databases[target.split('.')[0] ?? ''] ?? 'other'];
  const name = target.replace(/-\d+$/, '');
  if (name === 'postgres') return Object.values(databases);
  if (name === 'edge-gateway' || name === 'far-edge') return target === edge ? ['edge'] : [];
  const known: readonly string[] = ['account', 'provider-vault', 'redis', 'redis-cache', 'nats', 'upstream'];
  return [known.includes(name) ? (name as Dependency) : 'other'];
}

const grants: readonly Dependency[] = ['account', 'account-database', 'nats', 'edge'];
const credentials: readonly Dependency[] = ['provider-vault', 'vault-database'];

/** The dependencies that may cause `service_unavailable`, as documented in failure-modes.md. */
function listNeeded(operation: Operation): readonly Dependency[] {
  const { kind } = operation;
  return isChat(operation) || kind.startsWith('provider-') ? [...grants, ...credentials] : grants;
}

/** The maximum milliseconds from a fault's end to its last error. A circuit breaker stays open for 20 seconds. */
const aftermathMs = 15_000;
const upstreamAftermathMs = 30_000;

function isExplained(
  { faults }: History,
  { edge, startMs, endMs }: Operation,
  needed: readonly Dependency[],
  withinMs = aftermathMs,
): boolean {
  return faults.some(
    (fault) =>
      fault.startedMs <= endMs &&
      fault.endedMs + withinMs >= startMs &&
      dependenciesOf(fault, edge).some((each) => needed.includes(each)),
  );
}

/** The time in milliseconds from the end of a link stall until the edge `far-edge` uses Redis again. */
const linkAftermathMs = 2_000;

/** The links of the far edge run in the test process, so a stall of the test process also stalls the links. */
const isLinkStalled = ({ stalls }: History, { edge, startMs, endMs }: Operation): boolean =>
  edge === 'far-edge' &&
  stalls.some((stall) => stall.startMs <= endMs && stall.endMs + linkAftermathMs >= startMs);

/** Returns true if an operation with the given kind and key started before `operation` ended. */
function wasTried(history: History, operation: Operation, kind: Operation['kind'], keyId: string | null) {
  return history.operations.some(
    (each) => each.kind === kind && each.subjectKeyId === keyId && each.startMs <= operation.endMs,
  );
}

const isLimited = ({ limitedKeys }: History, { keyId }: Operation): boolean =>
  limitedKeys.some((key) => key.keyId === keyId && key.rateLimitRpm !== null);

type Explanation = (history: History, operation: Operation) => boolean;

const fromUpstream: Explanation = (history, operation) =>
  isChat(operation) && isExplained(history, operation, ['upstream', 'edge'], upstreamAftermathMs);

const accountIsDeleted: Explanation = (history, operation) =>
  history.operations.some(
    (each) =>
      each.kind === 'account-delete' &&
      each.accountId === operation.accountId &&
      each.startMs <= operation.endMs,
  );

/** The situations in which the documentation allows each error code. All other error codes violate the promise. */
const explanations: Readonly<Record<string, Explanation>> = {
  service_unavailable: (history, operation) => isExplained(history, operation, listNeeded(operation)),
  connection_broken: (history, operation) =>
    isExplained(history, operation, isChat(operation) ? ['edge', 'upstream'] : ['edge']),
  // If the cache Redis server is down, each edge allows only an eighth of a key's rate limit.
  rate_limit_exceeded: (history, operation) =>
    isLimited(history, operation) ||
    isExplained(history, operation, ['redis-cache']) ||
    isLinkStalled(history, operation),
  invalid_api_key: (history, operation) =>
    accountIsDeleted(history, operation) || wasTried(history, operation, 'key-revoke', operation.keyId),
  expired_api_key: (history, operation) => wasTried(history, operation, 'key-rotate', operation.keyId),
  not_found: (history, operation) =>
    operation.kind === 'provider-delete' ||
    accountIsDeleted(history, operation) ||
    wasTried(history, operation, 'key-revoke', operation.subjectKeyId),
  provider_not_connected: (history, operation) =>
    isChat(operation) &&
    history.operations.some(
      ({ kind, accountId, startMs }) =>
        kind === 'provider-delete' && accountId === operation.accountId && startMs <= operation.endMs,
    ),
  upstream_unreachable: fromUpstream,
  upstream_timeout: fromUpstream,
  upstream_invalid: fromUpstream,
  upstream_unavailable: fromUpstream,
  provider_error: fromUpstream,
};

/** Each error code is documented for the request and for the faults at that time. */
export function errorCodesAreDocumented(history: History): string[] {
  return history.operations.flatMap((operation) => {
    const code = operation.isWhole ? operation.code : (operation.code ?? 'connection_broken');
    if (code === null || code === 'internal_error') return [];
    const isDocumented = explanations[code]?.(history, operation) ?? false;
    return isDocumented
      ? []
      : [
          `${operation.id} (${operation.kind} on ${operation.edge}) returned ${operation.status} ${code} at ${Math.round(operation.startMs)} ms`,
        ];
  });
}
