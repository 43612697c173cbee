import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { readJson, writePrivateJson } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import { endProcess, identifyProcess, isRunning, processIdentity } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

const trackedProcess = processIdentity.extend({
  name: z.string(),
  stopSignal: z.string(),
  stopGraceMs: z.number(),
  /** Position in the stop order, ascending. Services stop before the servers that they use. */
  stage: z.int(),
});
export type TrackedProcess = z.infer<typeof trackedProcess>;

const stackState = z.object({
  supervisor: processIdentity,
  status: z.enum(['starting', 'healthy', 'stopping']),
  control: z.object({ url: z.string(), token: z.string() }).nullable(),
  processes: z.array(trackedProcess),
});
export type StackState = z.infer<typeof stackState>;

export function readState(dataDir: DataDir): StackState | null {
  const parsed = stackState.safeParse(readJson(dataDir.stateFile));
  return parsed.success ? parsed.data : null;
}

export function writeState(dataDir: DataDir, state: StackState): void {
  writePrivateJson(dataDir.stateFile, state);
}

/** Returns the state of a stack with a running supervisor. Returns null if no supervisor is running. */
export function findRunningStack(dataDir: DataDir): StackState | null {
  const state = readState(dataDir);
  return state !== null && isRunning(state.supervisor) ? state : null;
}

/** Ends processes that a killed supervisor left running. Returns the names of the ended processes. */
export async function endLeftovers(dataDir: DataDir): Promise<string[]> {
  const left = (readState(dataDir)?.processes ?? []).filter(isRunning);
  const stages = [...new Set(left.map(({ stage }) => stage))].sort((a, b) => a - b);
  for (const stage of stages) {
    await Promise.all(
      left
        .filter((tracked) => tracked.stage === stage)
        .map((tracked) => endProcess(tracked, tracked.stopSignal as NodeJS.Signals, tracked.stopGraceMs)),
    );
  }
  rmSync(dataDir.stateFile, { force: true });
  return left.map(({ name }) => name);
}

/** Makes this process the only supervisor for the data directory. Throws if another supervisor is running. */
export function lockDataDir(dataDir: DataDir): { release(): void } {
  const me = identifyProcess(process.pid);
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const file = openSync(dataDir.lockFile, 'wx', 0o600);
      writeSync(file, JSON.stringify(me));
      closeSync(file);
      return { release: () => rmSync(dataDir.lockFile, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readLockHolder(dataDir.lockFile);
    if (holder !== null && isRunning(holder)) break;
    rmSync(dataDir.lockFile, { force: true });
  }
  throw new Error(`A stack with the data directory ${dataDir.path} is already running.`);
}

function readLockHolder(file: string): ProcessIdentity | null {
  try {
    return processIdentity.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}
