import { Worker } from 'node:worker_threads';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { ThreadReply, ThreadRequest } from './serve-tasks.ts';

/**
 * Time limit for one task of a thread, in milliseconds. If a task takes longer, the task fails and the thread is
 * replaced. The longest task of a thread takes about a second.
 */
const taskMsMax = 20_000;

export interface LowPriorityThreadOptions {
  /** Name of the thread in the log and in the process list. */
  readonly name: string;
  /** Path to the thread's script, which calls `serveTasks`. */
  readonly file: URL;
  readonly data?: unknown;
  readonly log: Logger;
}

/**
 * A worker thread with a lower priority than the event loop (`serveTasks`). The worker thread starts with its
 * first task. If the thread ends or hangs, its tasks fail, and the next task starts a new thread.
 */
export class LowPriorityThread<Task, Result> {
  readonly #options: LowPriorityThreadOptions;
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>();
  #worker: Worker | undefined;
  #tasks = 0;

  constructor(options: LowPriorityThreadOptions) {
    this.#options = options;
  }

  /** @throws GatewayError `service_unavailable` if the thread failed. */
  async run(task: Task): Promise<Result> {
    const worker = (this.#worker ??= this.#start());
    const id = (this.#tasks += 1);
    const waiting = Promise.withResolvers<Result>();
    this.#waiting.set(id, waiting);
    const hang = setTimeout(() => void worker.terminate(), taskMsMax);
    worker.postMessage({ id, task } satisfies ThreadRequest<Task>);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(hang);
      this.#waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const { name, file, data, log } = this.#options;
    const worker = new Worker(file, { workerData: data, name });
    worker.unref();
    worker.on('message', ({ id, outcome }: ThreadReply<Result>) => {
      const waiting = this.#waiting.get(id);
      if ('result' in outcome) waiting?.resolve(outcome.result);
      else waiting?.reject(this.#renderFailure(outcome.error));
    });
    worker.on('error', (error) => log.error({ err: error }, `${name} thread failed`));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const waiting of this.#waiting.values()) waiting.reject(this.#renderFailure('the thread ended'));
    });
    return worker;
  }

  #renderFailure(detail: string): GatewayError {
    return new GatewayError('service_unavailable', { detail: `${this.#options.name} thread: ${detail}` });
  }
}
