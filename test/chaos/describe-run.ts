import { isChat, isServed, type History, type Operation, type Violation } from './history.ts';
import type { RunOptions } from './run-seed.ts';

const shownMax = 8;

/** Returns a summary of a run, with the numbers of operations and faults, durations, and all violations. */
export function describeRun(
  { seed, seconds }: RunOptions,
  history: History,
  violations: readonly Violation[],
): string {
  const { operations, faults, stalls, recoveryMs } = history;
  const chats = operations.filter(isChat);
  const stalledMs = stalls.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const byPromise = Object.groupBy(violations, ({ promise }) => promise);
  return [
    `seed ${seed}, ${seconds} s: ${operations.length} operations, ${chats.filter(isServed).length} of ${chats.length} chats served, ${faults.length} faults`,
    `  codes: ${countCodes(operations)}`,
    `  chats p50 ${percentile(chats, 0.5)} ms, p99 ${percentile(chats, 0.99)} ms; others p99 ${percentile(
      operations.filter((each) => !isChat(each)),
      0.99,
    )} ms; recovery ${Math.round(recoveryMs)} ms; test process stalled for ${Math.round(stalledMs)} ms`,
    violations.length === 0 ? '  0 violations' : `  ${violations.length} violations`,
    ...Object.entries(byPromise).flatMap(([promise, found = []]) => [
      `  ✗ ${promise}: ${found.length}`,
      ...found.slice(0, shownMax).map(({ detail }) => `      ${detail}`),
    ]),
  ].join('\n');
}

function countCodes(operations: readonly Operation[]): string {
  const counts = new Map<string, number>();
  for (const { status, code, isWhole } of operations) {
    const name = code ?? (isWhole ? String(status) : `${status} broken`);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}

function percentile(operations: readonly Operation[], share: number): number {
  const times = operations.map(({ startMs, endMs }) => endMs - startMs).sort((a, b) => a - b);
  return Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0);
}
