import { readdirSync, readFileSync } from 'node:fs';

/** The number of clock ticks per second. Linux reports CPU time in clock ticks. */
const ticksPerSecond = 100;

/**
 * Returns the CPU time in microseconds that a process and its children have used since their start. Returns 0
 * if the system does not report CPU times.
 */
export function readCpuMicros(pid: number | null): number {
  if (pid === null) return 0;
  const processes = listProcesses();
  let ticks = 0;
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    ticks += processes.get(next)?.ticks ?? 0;
    for (const [child, { parent }] of processes) if (parent === next) open.push(child);
  }
  return (ticks / ticksPerSecond) * 1_000_000;
}

/**
 * Returns each process's parent process id and CPU time, by process id. In `man 5 proc_pid_stat`, the parent
 * process id is field 4, and the times are fields 14 to 17.
 */
function listProcesses(): Map<number, { readonly parent: number; readonly ticks: number }> {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readProc()) {
    const stat = readStat(name);
    if (stat === null) continue;
    // The process name, in parentheses, can contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
    const ticks = (user ?? 0) + (system ?? 0) + (childrenUser ?? 0) + (childrenSystem ?? 0);
    processes.set(Number(name), { parent: Number(fields[1]), ticks });
  }
  return processes;
}

function readProc(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readStat(name: string): string | null {
  try {
    return readFileSync(`/proc/${name}/stat`, 'utf8');
  } catch {
    return null;
  }
}
