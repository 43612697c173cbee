import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { endProcess, identifyProcess } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** What it writes goes here by its own hand: no byte of log passes through the supervisor. */
  readonly logFile: string;
  /** The signal that asks it to end in good order. */
  readonly stopSignal: NodeJS.Signals;
  readonly stopGraceMs: number;
  /** Another operating-system user to run as. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A started child in a process group of its own, so that a terminal's Ctrl-C reaches the supervisor alone. */
export interface ManagedProcess {
  readonly plan: ProcessPlan;
  readonly identity: ProcessIdentity;
  /** Settles when the process has ended, however it did. */
  readonly exited: Promise<ProcessExit>;
  /** Null while it runs. */
  exit(): ProcessExit | null;
  stop(): Promise<void>;
}

/** Starts a process. Throws when the command cannot be run. */
export async function startProcess(plan: ProcessPlan): Promise<ManagedProcess> {
  const log = openSync(plan.logFile, 'a', 0o600);
  const child = spawn(plan.command, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    stdio: ['ignore', log, log],
    detached: true,
    ...(plan.user ?? {}),
  });
  closeSync(log);
  let exit: ProcessExit | null = null;
  const exited = new Promise<ProcessExit>((settle) => {
    child.once('exit', (code, signal) => settle((exit = { code, signal })));
  });
  await new Promise<void>((settle, reject) => {
    child.once('spawn', settle);
    child.once('error', (error) => reject(new Error(`${plan.name} cannot be started: ${error.message}`)));
  });
  const pid = child.pid ?? 0;
  const identity = identifyProcess(pid) ?? { pid, startedAt: 'ended' };
  return {
    plan,
    identity,
    exited,
    exit: () => exit,
    async stop() {
      await endProcess(identity, plan.stopSignal, plan.stopGraceMs);
      await exited;
    },
  };
}
