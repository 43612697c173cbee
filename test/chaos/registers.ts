import { isAcknowledged, isRejected, type History, type RegisterAccess } from './history.ts';

/** An access to one register, and the interval in which the access took effect. */
export interface TimedAccess extends Omit<RegisterAccess, 'register'> {
  readonly operation: string;
  readonly startMs: number;
  /** For a write without a response, the end is infinity, because the write may still take effect later. */
  readonly endMs: number;
}

/** Maximum number of search states for one register. */
const statesMax = 400_000;

/** Groups the accesses of a history by register. Failed reads and rejected writes have no effect. */
export function collectAccesses(history: History): Map<string, TimedAccess[]> {
  const registers = new Map<string, TimedAccess[]>();
  for (const operation of history.operations) {
    for (const { register, action, value } of operation.accesses) {
      const isDone = isAcknowledged(operation) || (action === 'read' && operation.isWhole);
      if (!isDone && (action === 'read' || isRejected(operation))) continue;
      const endMs = isDone ? operation.endMs : Infinity;
      const access = { operation: operation.id, action, value, startMs: operation.startMs, endMs };
      registers.set(register, [...(registers.get(register) ?? []), access]);
    }
  }
  return registers;
}

/**
 * Checks that one register is linearizable. The accesses must have an order, consistent with their times, in
 * which every read returns the latest write. The search uses Wing and Gong's algorithm ("Testing and
 * Verifying Concurrent Objects", 1993). The search skips visited states, as in Lowe's paper ("Testing for
 * linearizability", 2017).
 * @throws Error if the search needs more than 400,000 states
 */
export function isLinearizable(accesses: readonly TimedAccess[], initial: string | null): boolean {
  const relevant = dropUnseenWrites(accesses).toSorted((one, other) => one.startMs - other.startMs);
  const visited = new Set<string>();
  const stack: State[] = [{ value: initial, first: 0, ahead: [] }];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    if (isComplete(relevant, state)) return true;
    const name = `${state.first}|${state.ahead.join()}|${state.value}`;
    if (visited.has(name)) continue;
    visited.add(name);
    if (visited.size > statesMax) throw new Error(`the search exceeds ${statesMax} states`);
    for (const next of listNext(relevant, state)) stack.push(next);
  }
  return false;
}

/**
 * One state of the linearizability search. The applied accesses are those with an index below `first` or with
 * an index in `ahead`.
 */
interface State {
  readonly value: string | null;
  readonly first: number;
  readonly ahead: readonly number[];
}

/** Removes each write without a response, if no read returned the written value. */
function dropUnseenWrites(accesses: readonly TimedAccess[]): TimedAccess[] {
  const read = new Set(accesses.filter(({ action }) => action === 'read').map(({ value }) => value));
  return accesses.filter(({ endMs, value }) => endMs !== Infinity || read.has(value));
}

function isComplete(accesses: readonly TimedAccess[], { first, ahead }: State): boolean {
  const done = new Set(ahead);
  return accesses.every((access, at) => at < first || done.has(at) || access.endMs === Infinity);
}

function listNext(accesses: readonly TimedAccess[], { value, first, ahead }: State): State[] {
  const done = new Set(ahead);
  const next: State[] = [];
  let earliestEnd = Infinity;
  for (let at = first; at < accesses.length; at += 1)
    if (!done.has(at)) earliestEnd = Math.min(earliestEnd, accesses[at]!.endMs);
  for (let at = first; at < accesses.length; at += 1) {
    const access = accesses[at]!;
    if (access.startMs > earliestEnd) break;
    if (done.has(at) || (access.action === 'read' && access.value !== value)) continue;
    const taken = new Set([...ahead, at]);
    let begin = first;
    while (taken.delete(begin)) begin += 1;
    next.push({ value: access.value, first: begin, ahead: [...taken].sort((a, b) => a - b) });
  }
  return next;
}

/** Returns the non-linearizable registers of a history, and the accesses to each register. */
export function findBrokenRegisters(
  history: History,
  prefix: string,
): { readonly register: string; readonly accesses: readonly TimedAccess[] }[] {
  return [...collectAccesses(history)]
    .filter(([register]) => register.startsWith(prefix))
    .filter(([register, accesses]) => !isLinearizable(accesses, history.initial[register] ?? null))
    .map(([register, accesses]) => ({ register, accesses }));
}
