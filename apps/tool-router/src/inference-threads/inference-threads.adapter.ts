import { Worker } from 'node:worker_threads';
import type { TimeShare } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import type {
  EncoderFacts,
  InferenceReady,
  InferenceTask,
  InferenceThreadData,
  RerankerFacts,
  ThreadMessage,
} from '../inference/inference-protocol.ts';
import type { InferenceMetrics } from '../metrics/router-metrics.ts';
import { InferenceQueue, type WaitingTask } from './inference-queue.ts';
import { InferenceRefused, type Inference, type InferenceOptions } from '../inference/inference.port.ts';

export interface InferenceThreadsOptions {
  readonly data: InferenceThreadData;
  /** The limit on the computation time that each account may use for vectors of new tools. */
  readonly vectorTime: TimeShare;
  readonly logger: Logger;
  readonly metrics: InferenceMetrics;
  /** Path to the worker thread's script. The default is the inference thread's script. */
  readonly threadFile?: URL;
}

/**
 * In a bundle, the thread's script is in the same folder as the main file. In the source tree, the thread's
 * script is in the folder `inference-threads`.
 */
const modelsThread = new URL(
  import.meta.url.endsWith('.ts') ? './inference.thread.ts' : './inference.thread.js',
  import.meta.url,
);
/**
 * Time limit for a worker thread's reply to a batch, in milliseconds. A worker thread that does not reply in
 * time is replaced.
 */
const batchTimeoutMs = 20_000;
/**
 * Delay before the next queue check, if all waiting accounts have used their share of computation time, in
 * milliseconds.
 */
const laterMs = 5;
const restartFirstMs = 500;
const restartMaxMs = 30_000;
/**
 * Maximum time in milliseconds that one tool-encoding task may block the worker thread while a plan waits.
 */
const toolsTaskMs = 4;
const textsPerTaskMax = 32;

/**
 * Runs the models in a worker thread, because onnxruntime-node computes on the calling thread. The worker
 * thread processes one batch at a time, and new tasks wait for the next batch. If the worker thread exits or
 * hangs, a new thread replaces it. Each replacement thread starts after a longer delay than the previous
 * replacement. While no worker thread is running, every task is rejected with `no_model`.
 */
export class InferenceThreads implements Inference {
  readonly #options: InferenceThreadsOptions;
  readonly #queue: InferenceQueue;
  #worker: Worker | undefined;
  #facts: InferenceReady | undefined;
  #inFlight: InFlight | undefined;
  #batches = 0;
  #failures = 0;
  #msPerText = 1;
  #restart: NodeJS.Timeout | undefined;
  #later: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: InferenceThreadsOptions) {
    this.#options = options;
    this.#queue = new InferenceQueue(options.vectorTime);
  }

  /**
   * Resolves when the worker thread has loaded the models or reported errors. The router also works without
   * models.
   */
  static async start(options: InferenceThreadsOptions): Promise<InferenceThreads> {
    const threads = new InferenceThreads(options);
    await threads.#start();
    return threads;
  }

  get encoder(): EncoderFacts | undefined {
    return loaded(this.#facts?.encoder);
  }

  get secondEncoder(): EncoderFacts | undefined {
    return loaded(this.#facts?.secondEncoder);
  }

  get reranker(): RerankerFacts | undefined {
    return loaded(this.#facts?.reranker);
  }

  get textsPerTask(): number {
    return Math.max(1, Math.min(textsPerTaskMax, Math.round(toolsTaskMs / this.#msPerText)));
  }

  /** Number of inference tasks waiting in the queue. */
  get waiting(): number {
    return this.#queue.size;
  }

  run(task: InferenceTask, options: InferenceOptions): Promise<Float32Array> {
    const encoder = task.kind === 'encode' && task.encoder === 'second' ? this.secondEncoder : this.encoder;
    if ((task.kind === 'encode' ? encoder : this.reranker) === undefined)
      return Promise.reject(new InferenceRefused('no_model'));
    return new Promise((resolve, reject) => {
      this.#queue.add({ task, options, resolve, reject });
      this.#pump();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    clearTimeout(this.#later);
    this.#refuse('closed');
    await this.#worker?.terminate();
  }

  #start(): Promise<void> {
    const { data, logger } = this.#options;
    const worker = new Worker(this.#options.threadFile ?? modelsThread, {
      workerData: data,
      name: 'inference',
    });
    this.#worker = worker;
    return new Promise((resolve) => {
      worker.on('message', (message: ThreadMessage) => {
        if (message.kind === 'done') this.#finish(message);
        else {
          this.#begin(message);
          resolve();
        }
      });
      worker.on('error', (error) => logger.error({ err: error }, 'inference thread failed'));
      worker.on('exit', () => {
        if (this.#worker === worker) this.#replace();
        resolve();
      });
    });
  }

  #begin(ready: InferenceReady): void {
    const { logger, data } = this.#options;
    this.#facts = ready;
    const models = { ...ready, ...data };
    if (this.encoder === undefined) logger.error(models, 'no encoder, ranking tools by keyword');
    else if (ready.secondEncoder !== null && this.secondEncoder === undefined)
      logger.error(models, 'no second encoder, ranking tools with the first encoder');
    else if (ready.reranker !== null && this.reranker === undefined)
      logger.error(models, 'no reranker, ranking tools by vectors and keywords');
    else logger.info(models, 'opened the models');
    this.#pump();
  }

  /** Sends the next batch if the worker thread is free. */
  #pump(): void {
    if (this.#inFlight !== undefined || this.#facts === undefined || this.#worker === undefined) return;
    const tasks = this.#queue.take(performance.now());
    if (tasks.length === 0) {
      // The batch can be empty although tasks wait, if all waiting accounts have used their share of computation time.
      if (this.#queue.size > 0) this.#later ??= setTimeout(() => this.#pumpLater(), laterMs);
      return;
    }
    const id = (this.#batches += 1);
    const worker = this.#worker;
    const hang = setTimeout(() => this.#giveUp(worker), batchTimeoutMs);
    hang.unref();
    this.#inFlight = { id, tasks, hang };
    worker.postMessage({ id, tasks: tasks.map(({ task }) => task) });
  }

  #pumpLater(): void {
    this.#later = undefined;
    this.#pump();
  }

  #finish({ id, results, inferenceMs }: Extract<ThreadMessage, { kind: 'done' }>): void {
    const batch = this.#inFlight;
    if (batch?.id !== id) return;
    clearTimeout(batch.hang);
    this.#inFlight = undefined;
    this.#failures = 0;
    const urgency = batch.tasks[0]?.options.urgency ?? 'plan';
    this.#options.metrics.observeBatch(urgency, batch.tasks.length, inferenceMs);
    this.#queue.noteTime(batch.tasks, inferenceMs);
    this.#learnPace(batch.tasks, inferenceMs);
    // The next batch is sent before the results are processed, so that the worker thread does not wait.
    this.#pump();
    batch.tasks.forEach(({ resolve, reject }, at) => {
      const result = results[at] ?? { error: 'no result' };
      if ('numbers' in result) resolve(result.numbers);
      else reject(new InferenceRefused('no_model', result.error));
    });
  }

  #learnPace(tasks: readonly WaitingTask[], inferenceMs: number): void {
    const [only] = tasks;
    if (tasks.length !== 1 || only?.options.urgency === 'plan' || only?.task.kind !== 'encode') return;
    if (only.task.encoder === 'second') return;
    const texts = only.task.texts.length;
    if (texts > 0) this.#msPerText = 0.8 * this.#msPerText + (0.2 * inferenceMs) / texts;
  }

  #giveUp(worker: Worker): void {
    this.#options.logger.error({}, 'inference thread hangs, replacing it');
    // The code does not wait for the thread to terminate, because native code cannot be interrupted.
    void worker.terminate();
    if (this.#worker === worker) this.#replace();
  }

  #replace(): void {
    this.#worker = undefined;
    this.#facts = undefined;
    this.#refuse('the inference thread ended');
    if (this.#isClosed) return;
    const waitMs = Math.min(restartMaxMs, restartFirstMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#restart = setTimeout(() => void this.#start(), waitMs);
    this.#restart.unref();
  }

  #refuse(detail: string): void {
    const error = new InferenceRefused('no_model', detail);
    const batch = this.#inFlight;
    this.#inFlight = undefined;
    if (batch !== undefined) {
      clearTimeout(batch.hang);
      for (const { reject } of batch.tasks) reject(error);
    }
    this.#queue.refuseAll(error);
  }
}

/** Returns the model, or undefined if the model is not in use or failed to load. */
function loaded<Facts extends object>(model: Facts | { readonly error: string } | null | undefined) {
  return model === null || model === undefined || 'error' in model ? undefined : model;
}

interface InFlight {
  readonly id: number;
  readonly tasks: readonly WaitingTask[];
  readonly hang: NodeJS.Timeout;
}
