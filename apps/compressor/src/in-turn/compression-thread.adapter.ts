import { Worker } from 'node:worker_threads';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { LargeTask, LargeTaskResults, ThreadData, ThreadReply } from './large-work.ts';

/** In a bundle, the thread script is next to the main file. In the source tree, it is in this folder. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './compression.thread.ts' : './compression.thread.js',
  import.meta.url,
);
/** A task of 8 MiB, the largest message, takes about a second. A thread that needs this long is replaced. */
const taskMsMax = 20_000;

type Waiting = PromiseWithResolvers<LargeTaskResults[keyof LargeTaskResults]>;

/**
 * A worker thread that starts with its first task. If it ends or hangs, its tasks fail and the next task starts a new
 * one. A new thread has no conversations, so gateways send them again.
 */
export class CompressionThread {
  readonly #data: ThreadData;
  readonly #log: Logger;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #tasks = 0;

  constructor(data: ThreadData, log: Logger) {
    this.#data = data;
    this.#log = log;
  }

  /** @throws GatewayError `service_unavailable` if the thread failed. */
  async run<Kind extends LargeTask['kind']>(
    task: Extract<LargeTask, { kind: Kind }>,
  ): Promise<LargeTaskResults[Kind]> {
    const worker = (this.#worker ??= this.#start());
    const id = (this.#tasks += 1);
    const waiting: Waiting = Promise.withResolvers();
    this.#waiting.set(id, waiting);
    const hang = setTimeout(() => void worker.terminate(), taskMsMax);
    worker.postMessage({ id, task });
    try {
      return (await waiting.promise) as LargeTaskResults[Kind];
    } finally {
      clearTimeout(hang);
      this.#waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(threadFile, { workerData: this.#data, name: 'compression' });
    worker.unref();
    worker.on('message', ({ id, outcome }: ThreadReply) => {
      const waiting = this.#waiting.get(id);
      if ('result' in outcome) waiting?.resolve(outcome.result);
      else waiting?.reject(renderFailure(outcome.error));
    });
    worker.on('error', (error) => this.#log.error({ err: error }, 'compression thread failed'));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const waiting of this.#waiting.values()) waiting.reject(renderFailure('the thread ended'));
    });
    return worker;
  }
}

function renderFailure(detail: string): GatewayError {
  return new GatewayError('service_unavailable', { detail: `compression thread: ${detail}` });
}
