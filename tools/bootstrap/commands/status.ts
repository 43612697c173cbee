// `npm run status [-- --json] [-- --data-dir DIR]` prints the health of each process of a stack.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDataDir } from '../stack/data-dir.ts';
import { readDevInfo } from '../stack/dev-file.ts';
import { root } from '../stack/root.ts';
import { findRunningStack } from '../stack/state-file.ts';
import type { StackState } from '../stack/state-file.ts';

/** The time limit for a process's health response. */
const healthDeadlineMs = 3_000;

interface ProcessStatus {
  readonly name: string;
  /** `running` means that the process is running but has no health port. */
  readonly health: 'healthy' | 'not ready' | 'running' | 'down';
  /** Missing dependencies, if the process reports any. */
  readonly missing: readonly string[];
  readonly pid: number | null;
  readonly url: string | null;
}

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    'data-dir': { type: 'string', default: join(root, '.data') },
  },
});

async function readHealth(url: string): Promise<Pick<ProcessStatus, 'health' | 'missing'>> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(healthDeadlineMs) });
    const { dependencies = {} } = (await response.json()) as { dependencies?: Record<string, boolean> };
    const missing = Object.keys(dependencies).filter((name) => dependencies[name] !== true);
    return { health: response.ok ? 'healthy' : 'not ready', missing };
  } catch {
    return { health: 'not ready', missing: [] };
  }
}

/** Returns the status of every process that the data directory describes. */
async function readStatus(path: string): Promise<{ state: StackState | null; processes: ProcessStatus[] }> {
  if (!existsSync(path)) return { state: null, processes: [] };
  const dataDir = openDataDir(path);
  const state = findRunningStack(dataDir);
  if (state === null) return { state, processes: [] };
  const services = Object.entries(readDevInfo(dataDir)?.services ?? {});
  const processes = services.map(async ([name, { url, health_url: healthUrl, pid }]) => {
    const isRunning = state.processes.some((each) => each.name === name);
    const none = { health: isRunning ? ('running' as const) : ('down' as const), missing: [] };
    return {
      ...{ name, pid, url },
      ...(isRunning && healthUrl !== null ? await readHealth(healthUrl) : none),
    };
  });
  return { state, processes: await Promise.all(processes) };
}

function renderTable(processes: readonly ProcessStatus[]): string {
  const rows = [
    ['process', 'health', 'pid', 'address'],
    ...processes.map(({ name, health, missing, pid, url }) => [
      name,
      missing.length > 0 ? `${health} (without ${missing.join(', ')})` : health,
      String(pid ?? ''),
      url ?? '',
    ]),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const { state, processes } = await readStatus(resolve(flags['data-dir']));
const isHealthy =
  state?.status === 'healthy' &&
  processes.every(({ health }) => health === 'healthy' || health === 'running');
if (flags.json) console.log(JSON.stringify({ status: state?.status ?? 'stopped', processes }, null, 2));
else if (state === null) console.log('No stack is running. Start one with `npm start`.');
else console.log(`The stack is ${state.status}.\n\n${renderTable(processes)}`);
if (!isHealthy) process.exitCode = 1;
