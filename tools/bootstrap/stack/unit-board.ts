import type { TrackedProcess } from './state-file.ts';
import { Runner } from './runner.ts';
import type { RunnerOptions, Unit } from './runner.ts';

/** All processes (units) that a stack manages. */
export class UnitBoard {
  readonly #runners = new Map<string, Runner>();
  readonly #options: RunnerOptions;
  #isClosed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Starts a process, keeps the process running, and resolves when the process is ready. */
  async run(unit: Unit): Promise<void> {
    if (this.#isClosed) throw new Error('The stack is stopping.');
    const runner = new Runner(unit, this.#options);
    this.#runners.set(unit.name, runner);
    await runner.start();
    await runner.waitReady();
  }

  has(name: string): boolean {
    return this.#runners.has(name);
  }

  get(name: string): Runner {
    const runner = this.#runners.get(name);
    if (!runner) throw new Error(`This stack has no unit ${name}.`);
    return runner;
  }

  names(): string[] {
    return [...this.#runners.keys()];
  }

  /**
   * Returns the running processes. The supervisor records the running processes, so that another process can
   * end them if the supervisor is killed.
   */
  track(): TrackedProcess[] {
    return [...this.#runners.values()].flatMap(({ unit, process }) =>
      process === null
        ? []
        : [
            {
              ...process.identity,
              name: unit.name,
              stage: unit.stage,
              stopSignal: process.plan.stopSignal,
              stopGraceMs: process.plan.stopGraceMs,
            },
          ],
    );
  }

  /**
   * Stops all processes, starting with the public entry point and ending with the servers. No process can be
   * started afterwards.
   */
  async stopAll(): Promise<void> {
    this.#isClosed = true;
    for (const stage of [0, 1, 2]) {
      const runners = [...this.#runners.values()].filter(({ unit }) => unit.stage === stage);
      await Promise.all(runners.map((runner) => runner.stop()));
    }
  }
}
