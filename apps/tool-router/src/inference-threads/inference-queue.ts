import type { InferenceTask } from '../inference/inference-protocol.ts';
import { InferenceRefused, type InferenceOptions, type Urgency } from '../inference/inference.port.ts';

const urgencies: readonly Urgency[] = ['plan', 'awaited', 'later'];
/** Tasks of a batch. Plans share one; what is cut to keep the thread for a few milliseconds goes alone. */
const batchTasksMax: Readonly<Record<Urgency, number>> = { plan: 64, awaited: 1, later: 1 };
/** Tasks that may wait. A plan behind 512 others would come late anyway. */
const waitingMax: Readonly<Record<Urgency, number>> = { plan: 512, awaited: 512, later: 4_096 };
/** Every so many batches the least urgent goes first, so that vectors are made under any load. */
const turnOfTheLast = 8;

export interface WaitingTask {
  readonly task: InferenceTask;
  readonly options: InferenceOptions;
  readonly resolve: (numbers: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** What waits for the models, most urgent first, within bounds. Tasks that came together leave together. */
export class InferenceQueue {
  readonly #waiting: Record<Urgency, WaitingTask[]> = { plan: [], awaited: [], later: [] };
  #batches = 0;

  get size(): number {
    return urgencies.reduce((sum, urgency) => sum + this.#waiting[urgency].length, 0);
  }

  /** Refuses what would wait behind too many. */
  add(waiting: WaitingTask): void {
    const { urgency } = waiting.options;
    const line = this.#waiting[urgency];
    if (line.length >= waitingMax[urgency]) waiting.reject(new InferenceRefused('busy'));
    else line.push(waiting);
  }

  /** The next batch, all of one urgency; empty when nothing waits. What is too late by `now` is refused on the way. */
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
