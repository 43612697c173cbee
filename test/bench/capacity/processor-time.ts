import { readdirSync, readFileSync } from 'node:fs';
import type { StackUnderTest } from '@gateway/testing';

/** Linux counts CPU time in hundredths of a second (`sysconf(_SC_CLK_TCK)`). */
const msPerTick = 10;
const bytesPerPage = 4_096;

export interface ProcessUse {
  readonly processorMs: number;
  readonly residentBytes: number;
}

interface ProcessStat {
  readonly parent: number;
  readonly ticks: number;
  readonly residentBytes: number;
}

/**
 * Reads fields of /proc/<pid>/stat (see `man 5 proc`). Field 4 is the parent process id. Fields 14 to 17 are
 * the CPU times of the process and of its exited children. Field 24 is the number of resident pages.
 */
function readStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (field: number) => Number(fields[field - 3]);
    return {
      parent: at(4),
      ticks: at(14) + at(15) + at(16) + at(17),
      residentBytes: at(24) * bytesPerPage,
    };
  } catch {
    // The process exited between the listing of process ids and this read.
    return undefined;
  }
}

function listStats(): (readonly [pid: number, ProcessStat])[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const stat = readStat(Number(pid));
    return stat === undefined ? [] : [[Number(pid), stat] as const];
  });
}

function sumUse(own: number | null, stats: ReturnType<typeof listStats>): ProcessUse {
  const counted = stats.filter(([pid, { parent }]) => pid === own || parent === own);
  const sum = (field: 'ticks' | 'residentBytes') =>
    counted.reduce((total, [, stat]) => total + stat[field], 0);
  return { processorMs: sum('ticks') * msPerTick, residentBytes: sum('residentBytes') };
}

/** Returns the memory and the total CPU time of one process, including child processes. */
export function readUseOf(pid: number): ProcessUse {
  return sumUse(pid, listStats());
}

/**
 * Returns the CPU time that each process in a stack has used since its start, including child processes.
 * Postgres has one child process per connection.
 */
export function readProcessUse(stack: StackUnderTest): Map<string, ProcessUse> {
  const stats = listStats();
  const services = Object.entries(stack.dev.services);
  return new Map(services.map(([name, { pid }]) => [name, sumUse(pid, stats)]));
}
