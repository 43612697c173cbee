import { startControlServer } from './control-server.ts';
import { openDataDir } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import { startLogRotation } from './log-rotation.ts';
import { identifyProcess } from './process-identity.ts';
import type { StackOptions } from './stack-options.ts';
import { endLeftovers, lockDataDir, writeState } from './state-file.ts';
import type { StackState, TrackedProcess } from './state-file.ts';
import { UnitBoard } from './unit-board.ts';

/**
 * Ownership of a data directory, with the processes of its stack. Other commands find the stack's processes
 * through the state file.
 */
export interface Supervision {
  readonly dataDir: DataDir;
  readonly board: UnitBoard;
  /** Called each time a process starts or exits. */
  onChange(fn: () => void): void;
  setStatus(status: StackState['status']): void;
  /** Stops every process and releases the data directory. A second call waits until the first call has finished. */
  end(): Promise<void>;
}

/** Writes the state of this process and the stack's processes to the state file. */
class StatusBoard {
  readonly #dataDir: DataDir;
  readonly #listeners: (() => void)[] = [];
  #state: Omit<StackState, 'processes'>;
  #track: () => TrackedProcess[] = () => [];

  constructor(dataDir: DataDir) {
    const supervisor = identifyProcess(process.pid);
    if (supervisor === null) throw new Error('This system does not provide the start times of processes.');
    this.#dataDir = dataDir;
    this.#state = { supervisor, status: 'starting', control: null };
  }

  set(change: Partial<StackState>, track = this.#track): void {
    this.#state = { ...this.#state, ...change };
    this.#track = track;
    this.changed();
  }

  onChange(fn: () => void): void {
    this.#listeners.push(fn);
  }

  changed(): void {
    writeState(this.#dataDir, { ...this.#state, processes: this.#track() });
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Makes this process the supervisor of a data directory. Ends processes that an earlier, killed supervisor
 * left running.
 */
export async function beginSupervision(
  options: StackOptions,
  report: (line: string) => void,
): Promise<Supervision> {
  const dataDir = openDataDir(options.dataDir);
  const lock = lockDataDir(dataDir);
  const left = await endLeftovers(dataDir);
  if (left.length > 0) report(`ended what an earlier start had left running: ${left.join(', ')}`);

  const status = new StatusBoard(dataDir);
  const { restartCrashed } = options;
  const board = new UnitBoard({ restartCrashed, onChange: () => status.changed(), report });
  const control = await startControlServer(board);
  const rotation = startLogRotation(dataDir.home('logs'));
  status.set({ control: control.address }, () => board.track());

  const end = async () => {
    status.set({ status: 'stopping' });
    await board.stopAll();
    rotation.stop();
    control.close();
    await endLeftovers(dataDir);
    lock.release();
  };
  let ending: Promise<void> | undefined;
  return {
    dataDir,
    board,
    onChange: (fn) => status.onChange(fn),
    setStatus: (next) => status.set({ status: next }),
    end: () => (ending ??= end()),
  };
}
