import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** The identity of a process, which stays unique even if the operating system later reuses the process id. */
export const processIdentity = z.object({ pid: z.int().positive(), startedAt: z.string() });
export type ProcessIdentity = z.infer<typeof processIdentity>;

/**
 * Returns a process's start time as the operating system reports it. Returns null if the process does not
 * exist or is a zombie.
 */
function readStartTime(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      // Reads the fields after the process name, which is in parentheses and may contain any character.
      // Field 3 is the process state, and field 22 is the start time (see proc(5)).
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? null : (fields[19] ?? null);
    }
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return text === '' ? null : text;
  } catch {
    return null;
  }
}

export function identifyProcess(pid: number): ProcessIdentity | null {
  const startedAt = readStartTime(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return readStartTime(identity.pid) === identity.startedAt;
}

/** Returns true if the process or its group (the processes that it started) still exists. */
function groupIsRunning(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends a signal to a process group, or only to the group leader. The call has no effect if the process group
 * no longer exists.
 */
export function signalProcess(pid: number, signal: NodeJS.Signals, whom: 'leader' | 'group'): void {
  try {
    process.kill(whom === 'group' ? -pid : pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Waits until `isDone` returns true, for at most `limitMs` milliseconds. Returns the last result of `isDone`.
 */
export async function waitUntil(
  isDone: () => boolean | Promise<boolean>,
  limitMs: number,
  everyMs = 50,
): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!(await isDone())) {
    if (performance.now() > end) return false;
    await sleep(everyMs);
  }
  return true;
}

/**
 * Ends a process. Sends `signal` to the leader of the process group. Kills the whole group after `graceMs`, or
 * earlier if only child processes remain. The call has no effect if a different process now has the process id.
 */
export async function endProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  if (isRunning(identity)) {
    signalProcess(identity.pid, signal, 'leader');
    await waitUntil(() => !isRunning(identity), graceMs);
  }
  // A process group outlives its leader, and the id of the group is not reused while the group exists.
  if (isRunning(identity) || (readStartTime(identity.pid) === null && groupIsRunning(identity.pid))) {
    signalProcess(identity.pid, 'SIGKILL', 'group');
    await waitUntil(() => !isRunning(identity), 5_000);
  }
}
