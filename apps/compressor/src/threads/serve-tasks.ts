import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

export interface ThreadRequest<Task> {
  readonly id: number;
  readonly task: Task;
}

export interface ThreadReply<Result> {
  readonly id: number;
  readonly outcome: { readonly result: Result } | { readonly error: string };
}

/** Runs the tasks of this worker thread in the order in which they arrive, at a low priority. */
export function serveTasks(run: (task: never) => unknown): void {
  // On Linux, `setPriority` applies only to the calling thread.
  // With the lower priority, requests on the event loop run before the tasks in the worker thread.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const outcomeOf = (task: never): ThreadReply<unknown>['outcome'] => {
    try {
      return { result: run(task) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  parentPort?.on('message', ({ id, task }: ThreadRequest<never>) => {
    parentPort?.postMessage({ id, outcome: outcomeOf(task) } satisfies ThreadReply<unknown>);
  });
}
