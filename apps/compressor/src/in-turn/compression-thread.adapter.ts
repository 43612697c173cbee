import type { Logger } from '@gateway/observability';
import { LowPriorityThread } from '../threads/low-priority-thread.ts';
import type { LargeTask, LargeTaskResults, ThreadData } from './large-work.ts';

/**
 * In a bundle, the thread's script is in the same folder as the main file. In the source tree, the thread's
 * script is in the folder `in-turn`.
 */
const file = new URL(
  import.meta.url.endsWith('.ts') ? './compression.thread.ts' : './compression.thread.js',
  import.meta.url,
);

type Result = LargeTaskResults[keyof LargeTaskResults];

/**
 * Compresses large requests in a worker thread. A compression task of 8 MiB, the largest message, takes about a
 * second. A new worker thread has no stored conversations, so gateways must send whole conversations
 * again.
 */
export class CompressionThread {
  readonly #thread: LowPriorityThread<LargeTask, Result>;

  constructor(data: ThreadData, log: Logger) {
    this.#thread = new LowPriorityThread({ name: 'compression', file, data, log });
  }

  /** @throws GatewayError `service_unavailable` if the thread failed. */
  async run<Kind extends LargeTask['kind']>(
    task: Extract<LargeTask, { kind: Kind }>,
  ): Promise<LargeTaskResults[Kind]> {
    return (await this.#thread.run(task)) as LargeTaskResults[Kind];
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
