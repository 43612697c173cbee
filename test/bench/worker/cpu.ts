import { readdirSync, readFileSync } from 'node:fs';

/** What Linux counts processor time in. */
const ticksPerSecond = 100;

/** Processor time that a process and those that it has started have taken so far, in microseconds; 0 where nobody can say. */
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

/** By id. `man 5 proc_pid_stat`: the parent is the fourth field, times are the fourteenth to the seventeenth. */
function listProcesses(): Map<number, { readonly parent: number; readonly ticks: number }> {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readProc()) {
    const stat = readStat(name);
    if (stat === null) continue;
    // The name, in parentheses, may hold anything.
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
