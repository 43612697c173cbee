import { GatewayError } from '@gateway/errors';
import type { Backend, BackendState } from '../../../backends/backend.ts';
import type { FailureKind } from '../../../backends/failure.ts';
import {
  openConnections,
  type Connection,
  type ConnectionServices,
} from '../../../connections/open-connection.ts';
import type { Caller, Target } from '../../../request/request.ts';
import type { FailedTry, Tries } from '../../exchange/tries.ts';

/** Who may be called for a request: a model of a provider, under one of the credentials for it. */
export interface Candidate {
  readonly target: Target;
  readonly connection: Connection;
}

/** A candidate that failed, to be called again. */
export interface Repeat {
  readonly candidate: Candidate;
  /** How long its provider asks to be left alone. */
  readonly waitMs: number;
}

/** After these another model of the same backend is no better. */
const ofBackend: ReadonlySet<FailureKind> = new Set<FailureKind>(['unreachable', 'timeout', 'refused']);

/**
 * Calls whoever is to be called first: the target itself unless something is wrong with it. Then whoever of its credentials
 * and its alternatives, in their order, is ready; else one that asked for a pause; else one whose breaker is open, as long
 * as nothing is under way there: that call shows whether it answers again.
 *
 * The choice hangs on what is under way, so the call begins in the moment of the choice: of requests that come at the same
 * time, each sees those before it.
 *
 * @throws GatewayError `upstream_unavailable` when there is none; `provider_not_connected`
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
    if (connections.length > 1) skipBut(ready.connection, connections);
    return call(ready);
  }
  const all = await openAll(target, caller, services);
  const chosen =
    findIn('ready', all) ??
    findIn('cooling', all) ??
    all.find(({ connection: { backend } }) => backend.state() === 'open' && backend.inFlight === 0);
  if (chosen === undefined) throw unavailable(all.map(({ connection }) => connection.backend));
  skipBut(chosen.connection, connections);
  return call(chosen);
}

/** Tells those that would have been called before somebody else how much went by them. */
function skipBut(chosen: Connection, connections: readonly Connection[]): void {
  for (const connection of connections) if (connection !== chosen) connection.backend.skip();
}

/** Who is called after a failure: somebody who was not called yet. Undefined when there is nobody. */
export async function chooseNext(
  target: Target,
  caller: Caller,
  { failed }: Tries,
  services: ConnectionServices,
): Promise<Candidate | undefined> {
  const untried = (await openAll(target, caller, services)).filter(
    (candidate) => !failed.some((earlier) => rulesOut(earlier, candidate)),
  );
  return findIn('ready', untried) ?? findIn('cooling', untried);
}

/** Who could be called while a call is silent: as if that one had failed of it. */
export function chooseBeside(
  { target: { model }, connection: { backend } }: Candidate,
  target: Target,
  caller: Caller,
  tries: Tries,
  services: ConnectionServices,
): Promise<Candidate | undefined> {
  const silent = { backend, model, kind: 'timeout', isPassing: false, retryAfterMs: undefined } as const;
  return chooseNext(target, caller, { ...tries, failed: [...tries.failed, silent] }, services);
}

/** Whoever failed first and may do better soon, unless its breaker has opened. */
export async function chooseRepeat(
  target: Target,
  caller: Caller,
  { failed }: Tries,
  services: ConnectionServices,
): Promise<Repeat | undefined> {
  for (const candidate of await openAll(target, caller, services)) {
    const last = failed.findLast((earlier) => isSame(earlier, candidate));
    if (last?.isPassing && !last.backend.isOpen) return { candidate, waitMs: last.retryAfterMs ?? 0 };
  }
  return undefined;
}

function rulesOut(earlier: FailedTry, candidate: Candidate): boolean {
  if (earlier.backend !== candidate.connection.backend) return false;
  return ofBackend.has(earlier.kind) || isSame(earlier, candidate);
}

function isSame({ backend, model }: FailedTry, { target, connection }: Candidate): boolean {
  return backend === connection.backend && model === target.model;
}

/** The target under each of its credentials, then its alternatives. One whose provider is connected no more is none. */
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

function candidatesOf(target: Target, connections: readonly Connection[]): Candidate[] {
  return connections.map((connection) => ({ target, connection }));
}

/** The first target that has one in that state, under the credential with the least under way. */
function findIn(state: BackendState, candidates: readonly Candidate[]): Candidate | undefined {
  let found: Candidate | undefined;
  for (const candidate of candidates) {
    const { backend } = candidate.connection;
    if (backend.state() !== state) continue;
    if (found !== undefined && found.target !== candidate.target) break;
    if (found === undefined || backend.inFlight < found.connection.backend.inFlight) found = candidate;
  }
  return found;
}

function unavailable(backends: readonly Backend[]): GatewayError {
  const detail = backends.map((backend) => `${backend.name.provider} is ${backend.state()}`).join(', ');
  const waitMs = Math.min(...backends.map((backend) => backend.waitMs));
  return new GatewayError('upstream_unavailable', { detail, retryAfterMs: Math.max(1_000, waitMs) });
}
