import { startControlServer } from './control-server.ts';
import { openDataDir } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import { startLogRotation } from './log-rotation.ts';
import { identifyProcess } from './process-identity.ts';
import type { StackOptions } from './stack-options.ts';
import { endLeftovers, lockDataDir, writeState } from './state-file.ts';
import type { StackState } from './state-file.ts';
import { UnitBoard } from './unit-board.ts';

/** This process's hold on a data directory: its units, and the state file that tells others about them. */
export interface Supervision {
  readonly dataDir: DataDir;
  readonly board: UnitBoard;
  /** Called after every change of what runs. */
  onChange(fn: () => void): void;
  setStatus(status: StackState['status']): void;
  /** Stops every unit and lets go of the data directory. Called again, it waits for the first call. */
  end(): Promise<void>;
}

/** Becomes the supervisor of a data directory, and ends what an earlier one that was killed has left running. */
export async function beginSupervision(
  options: StackOptions,
  report: (line: string) => void,
): Promise<Supervision> {
  const dataDir = openDataDir(options.dataDir);
  const lock = lockDataDir(dataDir);
  const listeners: (() => void)[] = [];
  let status: StackState['status'] = 'starting';
  const left = await endLeftovers(dataDir);
  if (left.length > 0) report(`ended what an earlier start had left running: ${left.join(', ')}`);

  const board = new UnitBoard({ restartCrashed: options.restartCrashed, onChange: () => changed(), report });
  const control = await startControlServer({
    startUnit: (name) => board.get(name).start(),
    stopUnit: (name) => board.get(name).stop(),
    waitReady: (name) => board.get(name).waitReady(),
    hasUnit: (name) => board.has(name),
  });
  const rotation = startLogRotation(dataDir.home('logs'));
  const supervisor = identifyProcess(process.pid);
  if (supervisor === null) throw new Error('This system does not tell when a process was started.');
  const changed = () => {
    writeState(dataDir, { supervisor, status, control: control.address, processes: board.track() });
    for (const listener of listeners) listener();
  };
  changed();

  const end = async () => {
    status = 'stopping';
    changed();
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
    onChange: (fn) => listeners.push(fn),
    setStatus: (next) => {
      status = next;
      changed();
    },
    end: () => (ending ??= end()),
  };
}
