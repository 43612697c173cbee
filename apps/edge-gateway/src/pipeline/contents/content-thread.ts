import { Worker } from 'node:worker_threads';
import type { CopiedContent, CopiedPart } from './render-content.ts';

/** The message to the worker thread, with the contents to redact and pack. */
export interface ContentJob {
  readonly copied: CopiedContent;
  /** The secrets of the account that the contents belong to. */
  readonly secrets: readonly string[];
}

/** The thread's reply with the packed contents, or null if packing failed. */
export interface ContentReply {
  readonly packed: string | null;
}

interface WaitingJob extends ContentJob {
  readonly done: (packed: string) => void;
  readonly fail: (error: Error) => void;
}

export interface ContentThreadOptions {
  /** Path to the worker thread's script. The default is the script that redacts and packs request contents. */
  readonly threadFile?: URL;
  /** Maximum duration of a job in milliseconds. A job above the maximum duration fails, and the thread is replaced. */
  readonly jobMsMax?: number;
}

/**
 * In a bundle, the thread script is next to the main file. In the source tree, the thread script is in the
 * same folder as this file.
 */
const packingThread = new URL(
  import.meta.url.endsWith('.ts') ? './content.thread.ts' : './content.thread.js',
  import.meta.url,
);
const defaultJobMsMax = 20_000;
/** Memory limit for the thread. A job needs several copies of contents, each at most 8 MiB. */
const heapMbMax = 256;

/**
 * Redacts and packs request contents in one worker thread. Accounts take turns, so an account with many large
 * contents delays another account by at most one job. The caller limits the number of bytes that wait for the
 * thread. The first job starts the content thread. If the thread has failed or hung, the next job starts a
 * new thread.
 */
export class ContentThread {
  readonly #options: ContentThreadOptions;
  /** Waiting jobs by account. The first account in the map is served next. */
  readonly #waiting = new Map<string, WaitingJob[]>();
  #worker: Worker | null = null;
  #running: WaitingJob | null = null;
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: ContentThreadOptions = {}) {
    this.#options = options;
  }

  /** The promise rejects if the thread fails, hangs, or cannot pack the contents. */
  pack(accountId: string, job: ContentJob): Promise<string> {
    return new Promise((done, fail) => {
      const waiting = this.#waiting.get(accountId);
      const entry = { ...job, done, fail };
      if (waiting === undefined) this.#waiting.set(accountId, [entry]);
      else waiting.push(entry);
      this.#next();
    });
  }

  close(): void {
    this.#stop(new Error('the content thread is closed'));
    for (const jobs of this.#waiting.values())
      for (const { fail } of jobs) fail(new Error('the content thread is closed'));
    this.#waiting.clear();
  }

  #next(): void {
    if (this.#running !== null) return;
    const job = this.#takeFirst();
    if (job === undefined) return;
    this.#running = job;
    const { jobMsMax = defaultJobMsMax } = this.#options;
    this.#deadline = setTimeout(
      () => this.#replace(new Error('the content thread did not respond in time')),
      jobMsMax,
    ).unref();
    const copied = detachCopies(job.copied);
    const moved = [copied.request, copied.answer].flatMap((part) =>
      part === null ? [] : [part.shown.buffer as ArrayBuffer],
    );
    this.#worker ??= this.#start();
    this.#worker.postMessage({ copied, secrets: job.secrets }, moved);
  }

  /**
   * Removes the next job of the first account in the queue, and moves that account to the end of the queue.
   */
  #takeFirst(): WaitingJob | undefined {
    for (const [accountId, jobs] of this.#waiting) {
      const job = jobs.shift();
      this.#waiting.delete(accountId);
      if (jobs.length > 0) this.#waiting.set(accountId, jobs);
      return job;
    }
    return undefined;
  }

  #start(): Worker {
    const worker = new Worker(this.#options.threadFile ?? packingThread, {
      name: 'contents',
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    });
    worker.unref();
    worker.on('message', ({ packed }: ContentReply) => {
      if (worker !== this.#worker) return;
      this.#finish((job) => {
        if (packed === null) job.fail(new Error('the contents could not be packed'));
        else job.done(packed);
      });
      this.#next();
    });
    const failed = (): void => {
      if (worker === this.#worker) this.#replace(new Error('the content thread failed'));
    };
    worker.on('error', failed);
    worker.on('exit', failed);
    return worker;
  }

  #replace(error: Error): void {
    this.#stop(error);
    this.#next();
  }

  #stop(error: Error): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
    this.#finish((job) => job.fail(error));
  }

  #finish(settle: (job: WaitingJob) => void): void {
    clearTimeout(this.#deadline);
    const job = this.#running;
    this.#running = null;
    if (job !== null) settle(job);
  }
}

/**
 * Copies the bytes, so that the copies can be transferred to the worker thread. The original bytes cannot be
 * transferred, because they are parts of shared buffers.
 */
function detachCopies({ request, answer }: CopiedContent): CopiedContent {
  const detach = ({ shown, bytesOfAll }: CopiedPart): CopiedPart => ({
    shown: Uint8Array.from(shown),
    bytesOfAll,
  });
  return { request: detach(request), answer: answer === null ? null : detach(answer) };
}
