import { hash } from 'node:crypto';
import { setTimeout as waitMs } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { Backend, BackendState } from '../../../backends/backend.ts';
import type { FailureKind } from '../../../backends/failure.ts';
import { chooseBackoffMs, type RetryBudget } from '../../../backends/retry-budget.ts';
import {
  openConnections,
  type Connection,
  type ConnectionServices,
} from '../../../connections/open-connection.ts';
import type { ResilienceMetrics } from '../../../metrics/edge-metrics.ts';
import type { Caller, Target } from '../../../request/request.ts';
import type { PipelineSettings } from '../../../request/settings.ts';
import type { Attempts, FailedAttempt } from '../../exchange/attempt.ts';
import { hasLeft, type Exchange } from '../../exchange/exchange.ts';

/** A model at a provider, with one of the provider's credentials, that could serve the request. */
export interface Candidate {
  readonly target: Target;
  readonly connection: Connection;
}

export type RetryServices = ConnectionServices & {
  readonly retryBudget: RetryBudget;
  readonly resilience: Pick<ResilienceMetrics, 'retries' | 'retryBudgetExhausted'>;
  readonly settings: Pick<PipelineSettings, 'retriesMax' | 'retryAfterMsMax'>;
};

/** A failed candidate that may be retried. */
interface Repeat {
  readonly candidate: Candidate;
  /** The wait before the provider call in milliseconds, including any pause that the provider requested. */
  readonly waitMs: number;
}

/** Failure reasons that affect all models of a backend. */
const ofBackend: ReadonlySet<FailureKind> = new Set<FailureKind>(['unreachable', 'timeout', 'refused']);

/**
 * Calls the first candidate that is available. The target with a ready credential comes first, followed by the
 * ready fallbacks in their configured order. If no candidate is ready, the function chooses a candidate that is
 * paused at the request of its provider. The last choice is a candidate that has an open circuit breaker and no
 * call in flight. A call through an open circuit breaker tests whether the backend works again. The choice of a
 * candidate depends on the number of calls in flight. The function starts the call immediately, so that the choices
 * for simultaneous requests count this call.
 * @throws GatewayError `upstream_unavailable` if no candidate may be called now, or `provider_not_connected` if
 * the target's provider is not connected
 */
export async function callFirst<Called>(
  target: Target,
  caller: Caller,
  services: ConnectionServices,
  call: (candidate: Candidate) => Promise<Called>,
): Promise<Called> {
  const connections = await openConnections(target, caller, services);
  const ready = findIn('ready', candidatesOf(target, connections));
  if (ready !== undefined) {
    if (connections.length > 1) countSkips(ready.connection, connections);
    return call(ready);
  }
  const all = await openAll(target, caller, services);
  const chosen =
    findIn('ready', all) ??
    findIn('cooling', all) ??
    all.find(({ connection: { backend } }) => backend.state() === 'open' && backend.inFlight === 0);
  if (chosen === undefined) throw unavailable(all.map(({ connection }) => connection.backend));
  countSkips(chosen.connection, connections);
  return call(chosen);
}

/** Counts a skip for each backend that was not chosen. */
function countSkips(chosen: Connection, connections: readonly Connection[]): void {
  for (const connection of connections) if (connection !== chosen) connection.backend.skip();
}

/**
 * Chooses the next candidate after a failed call. Untried candidates come first, followed by failed candidates that
 * are retried after a pause. Returns undefined if no candidate is left or the retry budget is used up. The pause
 * before a retry ends early if the client disconnects. A request with affinity (tied to one provider account) first
 * retries the same credential. Another provider account would drop the conversation's reasoning.
 */
export async function chooseAfterFailure(
  target: Target,
  exchange: Exchange,
  caller: Caller,
  services: RetryServices,
): Promise<Candidate | undefined> {
  const { attempts, response } = exchange;
  if (response.headersSent || hasLeft(exchange)) return undefined;
  const findNext = (): Promise<Candidate | undefined> =>
    chooseUntried(target, caller, attempts.failed, services);
  const isAffine = target.affinity !== undefined;
  const next = isAffine ? undefined : await findNext();
  const repeat = next === undefined ? await chooseRepeat(target, attempts, caller, services) : undefined;
  const chosen = next ?? repeat?.candidate ?? (isAffine ? await findNext() : undefined);
  if (chosen === undefined) return undefined;
  if (!services.retryBudget.takeExtra(caller.accountId)) {
    services.resilience.retryBudgetExhausted.inc();
    return undefined;
  }
  if (repeat !== undefined) {
    attempts.repeats += 1;
    await waitMs(repeat.waitMs, undefined, { signal: exchange.abort.signal });
  }
  services.resilience.retries.inc({ kind: kindOf(chosen, target, repeat) });
  return chosen;
}

function kindOf(
  chosen: Candidate,
  target: Target,
  repeat: Repeat | undefined,
): 'same' | 'credential' | 'fallback' {
  if (repeat !== undefined) return 'same';
  return chosen.target === target ? 'credential' : 'fallback';
}

/** Chooses the candidate that is called next if a running call fails. */
export function chooseAlternative(
  { target: { model }, connection: { backend } }: Candidate,
  target: Target,
  caller: Caller,
  { failed }: Attempts,
  services: ConnectionServices,
): Promise<Candidate | undefined> {
  const silent = { backend, model, kind: 'timeout', isPassing: false, retryAfterMs: undefined } as const;
  return chooseUntried(target, caller, [...failed, silent], services);
}

async function chooseUntried(
  target: Target,
  caller: Caller,
  failed: readonly FailedAttempt[],
  services: ConnectionServices,
): Promise<Candidate | undefined> {
  const untried = (await openAll(target, caller, services)).filter(
    (candidate) => !failed.some((earlier) => rulesOut(earlier, candidate)),
  );
  return findIn('ready', untried) ?? findIn('cooling', untried);
}

/**
 * Chooses the first failed candidate that may soon succeed and has no open circuit breaker. The pause
 * before the retry is at least as long as the provider requested. If every provider requests a longer pause
 * than the settings allow, the function chooses no candidate.
 */
async function chooseRepeat(
  target: Target,
  { failed, repeats }: Attempts,
  caller: Caller,
  services: RetryServices,
): Promise<Repeat | undefined> {
  const { retriesMax, retryAfterMsMax } = services.settings;
  if (repeats >= retriesMax) return undefined;
  for (const candidate of await openAll(target, caller, services)) {
    const last = failed.findLast((earlier) => isSame(earlier, candidate));
    if (!last?.isPassing || last.backend.isOpen) continue;
    const pauseMs = last.retryAfterMs ?? 0;
    if (pauseMs > retryAfterMsMax) return undefined;
    return { candidate, waitMs: pauseMs + chooseBackoffMs(repeats + 1) };
  }
  return undefined;
}

function rulesOut(earlier: FailedAttempt, candidate: Candidate): boolean {
  if (earlier.backend !== candidate.connection.backend) return false;
  return ofBackend.has(earlier.kind) || isSame(earlier, candidate);
}

function isSame({ backend, model }: FailedAttempt, { target, connection }: Candidate): boolean {
  return backend === connection.backend && model === target.model;
}

/**
 * Lists the target once per credential, followed by the target's fallbacks. Skips fallbacks to
 * providers that are not connected.
 */
async function openAll(
  target: Target,
  caller: Caller,
  services: ConnectionServices,
): Promise<readonly Candidate[]> {
  const candidates = candidatesOf(target, await openConnections(target, caller, services));
  for (const alternative of target.alternatives?.() ?? []) {
    const connections = await openConnections(alternative, caller, services).catch(() => []);
    candidates.push(...candidatesOf(alternative, connections));
  }
  return candidates;
}

/**
 * In a conversation with affinity (tied to one provider account), the order of the credentials depends only
 * on the conversation.
 */
function candidatesOf(target: Target, connections: readonly Connection[]): Candidate[] {
  const { affinity } = target;
  if (affinity === undefined || connections.length < 2)
    return connections.map((connection) => ({ target, connection }));
  const ranked = connections.map((connection) => ({
    candidate: { target, connection },
    rank: hash('sha256', `${affinity}\n${connection.credential ?? ''}`),
  }));
  return ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1)).map(({ candidate }) => candidate);
}

/**
 * Finds the first target that has a backend in the given state. Chooses the target's credential with the fewest
 * calls in flight. If the conversation is tied to one provider account, chooses the first credential.
 */
function findIn(state: BackendState, candidates: readonly Candidate[]): Candidate | undefined {
  let found: Candidate | undefined;
  for (const candidate of candidates) {
    const { backend } = candidate.connection;
    if (backend.state() !== state) continue;
    if (found !== undefined && found.target !== candidate.target) break;
    if (found === undefined) found = candidate;
    else if (candidate.target.affinity === undefined && backend.inFlight < found.connection.backend.inFlight)
      found = candidate;
  }
  return found;
}

function unavailable(backends: readonly Backend[]): GatewayError {
  const detail = backends.map((backend) => `${backend.name.provider} is ${backend.state()}`).join(', ');
  const waitMs = Math.min(...backends.map((backend) => backend.waitMs));
  return new GatewayError('upstream_unavailable', { detail, retryAfterMs: Math.max(1_000, waitMs) });
}
