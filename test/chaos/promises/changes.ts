import {
  isAcknowledged,
  isRejected,
  isServed,
  overlapMs,
  type History,
  type Operation,
  type RegisterAccess,
} from '../history.ts';
import { findBrokenRegisters, type TimedAccess } from '../registers.ts';

/** Every replica detects a change within one second if nothing fails, and within ten seconds otherwise. */
const detectedMs = { calm: 1_000, disturbed: 10_000 } as const;
/** The time in milliseconds during which a fault may have effects after its end. */
const aftermathMs = 5_000;

/** For a change that was acknowledged at `atMs`, returns the time from which every replica must apply the change. */
function effectiveFrom(history: History, atMs: number): number {
  const isDisturbed = history.faults.some(
    ({ startedMs, endedMs }) => startedMs <= atMs + detectedMs.calm && endedMs + aftermathMs >= atMs,
  );
  const untilMs = atMs + (isDisturbed ? detectedMs.disturbed : detectedMs.calm);
  return untilMs + overlapMs(atMs, untilMs, history.stalls);
}

/** After the documented maximum time, no request with a revoked API key is served. */
export function noSuccessAfterRevocation(history: History): string[] {
  const broken: string[] = [];
  for (const revocation of history.operations) {
    if (revocation.kind !== 'key-revoke' || !isAcknowledged(revocation)) continue;
    const from = effectiveFrom(history, revocation.endMs);
    for (const operation of history.operations)
      if (operation.keyId === revocation.subjectKeyId && operation.startMs > from && isServed(operation))
        broken.push(
          `${operation.id} was served ${Math.round(operation.startMs - revocation.endMs)} ms after ${revocation.id}`,
        );
  }
  return broken;
}

/** No provider receives a tool that the API key denies. */
export function noDeniedToolUpstream(history: History): string[] {
  const operations = new Map(history.operations.map((each) => [each.id, each]));
  const changes = history.operations.filter(({ kind }) => kind === 'tool-list');
  return history.upstream.flatMap(({ operation: id, tools }) => {
    const operation = operations.get(id);
    if (!operation) return [];
    const always = history.deniedTools[operation.keyId] ?? [];
    const denied = new Set([...always, ...listDenied(history, changes, operation)]);
    return tools.filter((tool) => denied.has(tool)).map((tool) => `${id} sent the denied tool ${tool}`);
  });
}

/** Returns the tools that the API key denies, or an empty list if several changes may be in effect. */
function listDenied(history: History, changes: readonly Operation[], operation: Operation): string[] {
  const own = changes.filter(({ subjectKeyId }) => subjectKeyId === operation.keyId);
  const newest = own.findLast(
    (change) => isAcknowledged(change) && effectiveFrom(history, change.endMs) < operation.startMs,
  );
  if (!newest) return [];
  const isReplaced = own.some(
    (change) =>
      change !== newest &&
      !isRejected(change) &&
      change.startMs < operation.endMs &&
      (change.endMs > newest.startMs || !isAcknowledged(change)),
  );
  return isReplaced ? [] : newest.accesses.flatMap(({ value }) => (value === null ? [] : [value]));
}

/** The final reads of each register return a value that no acknowledged write has replaced. */
export function noAcknowledgedWriteIsLost(history: History): string[] {
  const writes = new Map<string, { operation: Operation; access: RegisterAccess }[]>();
  const lastReads = new Map<string, { operation: Operation; access: RegisterAccess }>();
  for (const operation of history.operations.toSorted((one, other) => one.startMs - other.startMs))
    for (const access of operation.accesses) {
      const { register, action } = access;
      if (action === 'write' && !isRejected(operation))
        writes.set(register, [...(writes.get(register) ?? []), { operation, access }]);
      if (action === 'read' && operation.isWhole) lastReads.set(register, { operation, access });
    }
  return [...lastReads].flatMap(([register, { operation, access }]) => {
    const all = (writes.get(register) ?? []).filter((write) => write.operation.startMs < operation.endMs);
    const possible = new Set(
      all.filter((write) => !isReplaced(write.operation, all, operation)).map((write) => write.access.value),
    );
    const isUntouched = all.every((write) => !isDoneBefore(write.operation, operation));
    if (isUntouched) possible.add(history.initial[register] ?? null);
    return possible.has(access.value)
      ? []
      : [`${operation.id} read ${access.value} from ${register}, but not ${[...possible].join(' or ')}`];
  });
}

const isDoneBefore = (write: Operation, read: Operation): boolean =>
  isAcknowledged(write) && write.endMs < read.startMs;

/** Returns true if the write was acknowledged, and a later write replaced it before the read started. */
function isReplaced(write: Operation, all: readonly { operation: Operation }[], read: Operation): boolean {
  if (!isAcknowledged(write)) return false;
  return all.some(({ operation }) => operation.startMs > write.endMs && isDoneBefore(operation, read));
}

const renderAccess = ({ operation, action, value, startMs, endMs }: TimedAccess): string =>
  `${operation} ${action} ${value} ${Math.round(startMs)}–${Math.round(endMs)}`;

/** Returns a check that every register with the given prefix is linearizable. */
function checkRegisters(prefix: string): (history: History) => string[] {
  return (history) =>
    findBrokenRegisters(history, prefix).map(
      ({ register, accesses }) => `${register}: ${accesses.map(renderAccess).join(', ')}`,
    );
}

export const keysAreLinearizable = checkRegisters('key:');
export const toolListsAreLinearizable = checkRegisters('list:');
export const providersAreLinearizable = checkRegisters('provider:');
export const policiesAreLinearizable = checkRegisters('policy:');

/** A deleted account leaves no rows behind. */
export function deletionsLeaveNoRows({ leftovers }: History): string[] {
  return leftovers.map((table) => `${table} still names a deleted account`);
}
