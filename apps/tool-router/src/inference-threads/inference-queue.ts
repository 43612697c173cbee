import type { InferenceTask } from '../inference/inference-protocol.ts';
import { InferenceRefused, type InferenceOptions, type Urgency } from '../inference/inference.port.ts';

const urgencies: readonly Urgency[] = ['plan', 'awaited', 'later'];
/**
 * Maximum number of tasks per batch. Plan tasks share a batch. Every other task takes a few milliseconds and
 * runs in its own batch.
 */
const batchTasksMax: Readonly<Record<Urgency, number>> = { plan: 64, awaited: 1, later: 1 };
/** Maximum number of waiting tasks. A plan queued behind 512 other tasks would miss its deadline anyway. */
const waitingMax: Readonly<Record<Urgency, number>> = { plan: 512, awaited: 512, later: 4_096 };
/**
 * Every eighth batch starts with the least urgent task, so that tool vectors are computed even under load.
 */
const turnOfTheLast = 8;

export interface WaitingTask {
  readonly task: InferenceTask;
  readonly options: InferenceOptions;
  readonly resolve: (numbers: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** Bounded queue for inference tasks, most urgent first. */
export class InferenceQueue {
  readonly #waiting: Record<Urgency, WaitingTask[]> = { plan: [], awaited: [], later: [] };
  #batches = 0;

  get size(): number {
    return urgencies.reduce((sum, urgency) => sum + this.#waiting[urgency].length, 0);
  }

  /** Rejects the task if the queue is full. */
  add(waiting: WaitingTask): void {
    const { urgency } = waiting.options;
    const line = this.#waiting[urgency];
    if (line.length >= waitingMax[urgency]) waiting.reject(new InferenceRefused('busy'));
    else line.push(waiting);
  }

  /**
   * Returns the next batch. All its tasks have the same urgency. Empty if no task is waiting. Rejects tasks
   * whose deadline is before `now`.
   */
  take(now: number): WaitingTask[] {
    this.#batches += 1;
    const order = this.#batches % turnOfTheLast === 0 ? urgencies.toReversed() : urgencies;
    for (const urgency of order) {
      const batch = this.#takeOf(urgency, now);
      if (batch.length > 0) return batch;
    }
    return [];
  }

  refuseAll(error: InferenceRefused): void {
    for (const urgency of urgencies) {
      for (const waiting of this.#waiting[urgency].splice(0)) waiting.reject(error);
    }
  }

  #takeOf(urgency: Urgency, now: number): WaitingTask[] {
    const line = this.#waiting[urgency];
    const batch: WaitingTask[] = [];
    let taken = 0;
    while (taken < line.length && batch.length < batchTasksMax[urgency]) {
      const waiting = line[taken];
      taken += 1;
      if (waiting === undefined) continue;
      if ((waiting.options.deadlineAt ?? Infinity) <= now) waiting.reject(new InferenceRefused('late'));
      else batch.push(waiting);
    }
    line.splice(0, taken);
    return batch;
  }
}
