import { ActiveAccounts, TimeShare, type TimeShareOptions } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import { cutExactly } from '../text/cut-text.ts';
import { LowPriorityThread } from '../threads/low-priority-thread.ts';

/**
 * In a bundle, the thread's script is in the same folder as the main file. In the source tree, the thread's
 * script is in the folder `count-tokens`.
 */
const file = new URL(
  import.meta.url.endsWith('.ts') ? './counting.thread.ts' : './counting.thread.js',
  import.meta.url,
);
/**
 * Maximum number of UTF-16 units per counting task. A counting task takes about ten milliseconds. Between two
 * tasks of a text, the thread can count other texts.
 */
const unitsPerTask = 16 * 1024;

/**
 * The share of the thread's time that one account gets while other accounts are active. Requests do not wait for
 * token counts, so the share is small. A low thread priority
 * is not enough to limit the thread. On Linux, the priority often applies only within the thread's own process.
 * A busy thread could therefore take processor time away from the gateways.
 */
const threadShare: TimeShareOptions = { contendedShare: 0.1, burstMs: 20 };

/** Counts o200k tokens in a worker thread. */
export class CountingThread {
  readonly #thread: LowPriorityThread<readonly string[], readonly number[]>;
  readonly #time: TimeShare;

  /** @param active the accounts with recent requests of any size */
  constructor(log: Logger, active = new ActiveAccounts()) {
    this.#time = new TimeShare({ ...threadShare, active });
    this.#thread = new LowPriorityThread({ name: 'counting', file, log });
  }

  /**
   * Returns the token count of each text. The counts are exact except for very long words (`countTokens`,
   * `cutExactly`). While other accounts are active, the thread pauses between the tasks of this account.
   * @throws GatewayError `service_unavailable` if the thread failed
   */
  async count(accountId: string, texts: readonly string[]): Promise<number[]> {
    this.#time.note(accountId);
    const counts = texts.map(() => 0);
    for (const task of groupPieces(texts)) {
      const tokens = await this.#time.run(accountId, () => this.#thread.run(task.map(({ piece }) => piece)));
      task.forEach(({ at }, order) => (counts[at] = (counts[at] ?? 0) + (tokens[order] ?? 0)));
    }
    return counts;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

interface TextPiece {
  readonly piece: string;
  /** Index of the text to which the piece belongs. */
  readonly at: number;
}

/** Cuts long texts into pieces, and groups short texts into one task. */
function* groupPieces(texts: readonly string[]): Generator<readonly TextPiece[]> {
  let group: TextPiece[] = [];
  let units = 0;
  for (const [at, text] of texts.entries()) {
    for (const piece of cutExactly(text, unitsPerTask)) {
      group.push({ piece, at });
      units += piece.length;
      if (units < unitsPerTask) continue;
      yield group;
      [group, units] = [[], 0];
    }
  }
  if (group.length > 0) yield group;
}
