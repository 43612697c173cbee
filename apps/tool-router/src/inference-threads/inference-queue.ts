import type { TimeShare } from '@gateway/messaging';
import type { InferenceTask } from '../inference/inference-protocol.ts';
import { InferenceRefused, type InferenceOptions, type Urgency } from '../inference/inference.port.ts';

const urgencies: readonly Urgency[] = ['plan', 'refined', 'awaited', 'later', 'background'];
/**
 * Maximum number of inference tasks per batch. Several plan tasks share one batch. Other tasks are sent in small
 * batches, because each task takes a few milliseconds and all results of a batch arrive together.
 */
const batchTasksMax: Readonly<Record<Urgency, number>> = {
  plan: 64,
  refined: 2,
  awaited: 1,
  later: 1,
  background: 1,
};
/**
 * Maximum number of waiting inference tasks per urgency. A plan task or a refined task in a longer queue
 * would miss its deadline.
 */
const waitingMax: Readonly<Record<Urgency, number>> = {
  plan: 512,
  refined: 64,
  awaited: 512,
  later: 4_096,
  background: 4_096,
};
/**
 * Number of inference tasks that each account may still add after other accounts have filled the queue. With
 * these additional tasks, the queue may grow to twice its regular maximum size.
 */
const reservedPerAccount = 16;
/**
 * Maximum number of tasks from one account in a batch while other accounts wait. The limit keeps the delay for
 * other accounts within a few milliseconds.
 */
const batchTasksPerAccountMax = 16;
/**
 * Every eighth batch takes `later` tasks first, so that the first encoder's tool vectors are computed even
 * under load. Background tasks always come last, because no ranking needs their vectors.
 */
const turnOfTheLast = 8;
const leastUrgentFirst: readonly Urgency[] = ['later', 'awaited', 'refined', 'plan', 'background'];

export interface WaitingTask {
  readonly task: InferenceTask;
  readonly options: InferenceOptions;
  readonly resolve: (numbers: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** Bounded queue for inference tasks. The queue returns the most urgent tasks first. */
export class InferenceQueue {
  readonly #vectorTime: TimeShare;
  readonly #waiting: Record<Urgency, TaskLine> = {
    plan: new TaskLine(),
    refined: new TaskLine(),
    awaited: new TaskLine(),
    later: new TaskLine(),
    background: new TaskLine(),
  };
  #batches = 0;

  get size(): number {
    return urgencies.reduce((sum, urgency) => sum + this.#waiting[urgency].size, 0);
  }

  /** @param vectorTime limit on the computation time that each account may use for vectors of new tools. */
  constructor(vectorTime: TimeShare) {
    this.#vectorTime = vectorTime;
  }

  /** Rejects the task if the queue is full and the account has used its reserved places. */
  add(waiting: WaitingTask): void {
    const { urgency, accountId = '' } = waiting.options;
    if (urgency === 'plan') this.#vectorTime.note(accountId);
    const line = this.#waiting[urgency];
    const max = waitingMax[urgency];
    const hasReserve = line.sizeOf(accountId) < reservedPerAccount && line.size < 2 * max;
    const isFull = line.size >= max && !hasReserve;
    if (isFull) waiting.reject(new InferenceRefused('busy'));
    else line.push(accountId, waiting);
  }

  /**
   * Returns the next batch of inference tasks. All tasks in a batch have the same urgency. The batch is empty
   * if no task is waiting, or if each account with waiting tasks has used its share of computation time. The
   * queue rejects tasks with a deadline before `now`.
   */
  take(now: number): WaitingTask[] {
    this.#batches += 1;
    const order = this.#batches % turnOfTheLast === 0 ? leastUrgentFirst : urgencies;
    for (const urgency of order) {
      const batch = this.#takeOf(urgency, now);
      if (batch.length > 0) return batch;
    }
    return [];
  }

  /** Charges the computation time of a batch to the accounts with vector tasks in the batch. */
  noteTime(batch: readonly WaitingTask[], ms: number): void {
    for (const { options } of batch)
      if (countsAsVectorTime(options.urgency))
        this.#vectorTime.use(options.accountId ?? '', ms / batch.length);
  }

  refuseAll(error: InferenceRefused): void {
    for (const urgency of urgencies) {
      for (const waiting of this.#waiting[urgency].clear()) waiting.reject(error);
    }
  }

  #takeOf(urgency: Urgency, now: number): WaitingTask[] {
    const line = this.#waiting[urgency];
    const batch: WaitingTask[] = [];
    const perAccountMax = line.accounts > 1 ? batchTasksPerAccountMax : Infinity;
    const taken = new Map<string, number>();
    while (batch.length < batchTasksMax[urgency]) {
      const next = line.takeInTurn(
        (accountId) =>
          (taken.get(accountId) ?? 0) < perAccountMax &&
          (!countsAsVectorTime(urgency) || this.#vectorTime.mayRun(accountId)),
      );
      if (next === undefined) break;
      const { accountId = '', deadlineAt = Infinity } = next.options;
      if (deadlineAt <= now) {
        next.reject(new InferenceRefused('late'));
        continue;
      }
      batch.push(next);
      taken.set(accountId, (taken.get(accountId) ?? 0) + 1);
    }
    return batch;
  }
}

/**
 * Whether a task counts against the account's share of computation time. Plan tasks take little time, and
 * background tasks run only if nothing else waits, so neither delays the plans of other accounts.
 */
function countsAsVectorTime(urgency: Urgency): boolean {
  return urgency === 'awaited' || urgency === 'later';
}

/** Waiting inference tasks of the same urgency. Each account has its own queue, and the accounts take turns. */
class TaskLine {
  readonly #tasks = new Map<string, WaitingTask[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get accounts(): number {
    return this.#tasks.size;
  }

  sizeOf(accountId: string): number {
    return this.#tasks.get(accountId)?.length ?? 0;
  }

  push(accountId: string, task: WaitingTask): void {
    const tasks = this.#tasks.get(accountId);
    if (tasks === undefined) this.#tasks.set(accountId, [task]);
    else tasks.push(task);
    this.#size += 1;
  }

  /**
   * Takes a task of the first account for which `mayTake` is true, and moves the account to the end of the
   * queue.
   */
  takeInTurn(mayTake: (accountId: string) => boolean): WaitingTask | undefined {
    for (const [accountId, tasks] of this.#tasks) {
      if (!mayTake(accountId)) continue;
      const task = tasks.shift();
      this.#tasks.delete(accountId);
      if (tasks.length > 0) this.#tasks.set(accountId, tasks);
      this.#size -= 1;
      return task;
    }
    return undefined;
  }

  clear(): WaitingTask[] {
    const all = [...this.#tasks.values()].flat();
    this.#tasks.clear();
    this.#size = 0;
    return all;
  }
}
