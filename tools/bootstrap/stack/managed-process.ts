import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { endProcess, identifyProcess } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment of the process, which inherits no variables. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The log file. The process writes to the log file directly, so no output passes through the supervisor.
   */
  readonly logFile: string;
  /** The signal that triggers an orderly shutdown. */
  readonly stopSignal: NodeJS.Signals;
  readonly stopGraceMs: number;
  /** The operating system user of the process, if different from the supervisor's user. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process in its own process group, so that Ctrl-C in a terminal reaches only the supervisor. */
export interface ManagedProcess {
  readonly plan: ProcessPlan;
  readonly identity: ProcessIdentity;
  /** Resolves when the process has exited for any reason. */
  readonly exited: Promise<ProcessExit>;
  /** The exit result, or null while the process is running. */
  exit(): ProcessExit | null;
  stop(): Promise<void>;
}

/** Starts a process. Throws if the command cannot be run. */
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
