import { setTimeout as sleep } from 'node:timers/promises';
import { readLogTail } from './log-tail.ts';
import { startProcess } from './managed-process.ts';
import type { ManagedProcess, ProcessPlan } from './managed-process.ts';
import { waitUntil } from './process-identity.ts';

/** A process in the stack, with its command and its readiness check. */
export interface Unit {
  readonly name: string;
  /**
   * Position in the stop order, ascending. The public entry point stops at stage 0, all other services at stage
   * 1, and the servers that they use at stage 2.
   */
  readonly stage: 0 | 1 | 2;
  readonly plan: () => ProcessPlan | Promise<ProcessPlan>;
  readonly isReady: () => Promise<boolean>;
}

export interface RunnerOptions {
  /** Whether to restart a process that exits without a stop request. */
  readonly restartCrashed: boolean;
  /** Called each time a process starts or exits. */
  readonly onChange: () => void;
  readonly report: (line: string) => void;
}

const BACKOFF_MS = { first: 200, max: 10_000 } as const;
/**
 * The uptime in milliseconds after which a process is considered healthy. If a healthy process crashes, the
 * delay before the next restart is the shortest delay again.
 */
const SETTLED_MS = 30_000;
/**
 * The maximum number of crashes before a process first becomes ready. After more crashes than this number, the
 * runner stops restarting the process.
 */
const CRASHES_AT_START_MAX = 3;
const READY_WITHIN_MS = 90_000;

/** Keeps one process of the stack running. */
export class Runner {
  readonly unit: Unit;
  readonly #options: RunnerOptions;
  #process: ManagedProcess | null = null;
  #wanted = false;
  #crashes = 0;
  #logFile = '';
  #startedAt = 0;
  #pending: Promise<void> = Promise.resolve();

  constructor(unit: Unit, options: RunnerOptions) {
    this.unit = unit;
    this.#options = options;
  }

  /** The running process, or null if the process is down. */
  get process(): ManagedProcess | null {
    return this.#process;
  }

  /** Starts the process if it is not running. Starting and stopping a process never overlap. */
  start(): Promise<void> {
    this.#wanted = true;
    return this.#inTurn(() => this.#launch());
  }

  /** Stops the process without restarting it. */
  stop(): Promise<void> {
    this.#wanted = false;
    return this.#inTurn(async () => {
      await this.#process?.stop();
    });
  }

  /**
   * Waits until the process is ready. Throws if the process stops permanently or is not ready in
   * time.
   */
  async waitReady(): Promise<void> {
    const { name } = this.unit;
    const isReady = () => this.#process !== null && this.unit.isReady();
    const ready = await waitUntil(async () => this.#failure() !== null || (await isReady()), READY_WITHIN_MS);
    const failure = this.#failure() ?? (ready ? null : `was not ready within ${READY_WITHIN_MS / 1000} s`);
    if (failure === null) {
      // A crash after readiness counts as the crash of a ready process, not as a failed start.
      this.#crashes = 0;
      return;
    }
    throw new Error(`${name} ${failure}. The end of ${this.#logFile}:\n${readLogTail(this.#logFile, 20)}`);
  }

  /**
   * Returns the reason why the process can never become ready. Returns null if the process may still become
   * ready.
   */
  #failure(): string | null {
    if (!this.#wanted) return 'was stopped while it was starting';
    return this.#hasGivenUp() ? 'ended while it was starting' : null;
  }

  #hasGivenUp(): boolean {
    if (this.#process !== null) return false;
    return this.#crashes > (this.#options.restartCrashed ? CRASHES_AT_START_MAX : 0);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#pending.then(work);
    this.#pending = turn.catch(() => undefined);
    return turn;
  }

  async #launch(): Promise<void> {
    if (this.#process !== null || !this.#wanted) return;
    const plan = await this.unit.plan();
    this.#logFile = plan.logFile;
    const started = await startProcess(plan);
    this.#process = started;
    this.#startedAt = performance.now();
    this.#options.onChange();
    void started.exited.then(({ code, signal }) => {
      this.#process = null;
      this.#options.onChange();
      if (this.#wanted) this.#recover(signal ?? `code ${code}`);
    });
  }

  #recover(reason: string): void {
    if (performance.now() - this.#startedAt > SETTLED_MS) this.#crashes = 0;
    this.#crashes += 1;
    const { report, restartCrashed } = this.#options;
    if (!restartCrashed) {
      report(`${this.unit.name} ended (${reason})`);
      return;
    }
    const delayMs = Math.min(BACKOFF_MS.first * 2 ** (this.#crashes - 1), BACKOFF_MS.max);
    report(`${this.unit.name} ended (${reason}): starting it again in ${delayMs / 1000} s`);
    void sleep(delayMs)
      .then(() => this.#inTurn(() => this.#launch()))
      .catch((error: unknown) => report(`${this.unit.name}: ${String(error)}`));
  }
}
