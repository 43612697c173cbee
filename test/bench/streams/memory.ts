import { readFileSync, writeFileSync } from 'node:fs';

/** Returns a process's resident memory in MiB, from Linux's /proc file system. */
export function readResidentMiB(pid: number): number {
  return readStatus(pid, 'VmRSS');
}

/** Resets the process's peak memory, so that `readPeakMiB` returns the peak since the reset. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns the maximum resident memory since `forgetPeak`, in MiB. */
export function readPeakMiB(pid: number): number {
  return readStatus(pid, 'VmHWM');
}

function readStatus(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kibibytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kibibytes === undefined) throw new Error(`/proc/${pid}/status does not contain ${field}`);
  return Number(kibibytes) / 1024;
}

/** Returns the CPU time of a process in milliseconds. Linux counts CPU time in hundredths of a second. */
export function readProcessorMs(pid: number): number {
  // The process name in /proc/<pid>/stat can contain any character.
  // After the process name, the 12th and 13th fields are the user and system CPU time (see `man 5 proc`).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
