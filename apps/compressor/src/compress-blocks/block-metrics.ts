import type { CompressBlocksReply } from '@gateway/contracts';
import type { Counter, Histogram, Metrics } from '@gateway/observability';

/** What the compressor tells Prometheus about context. */
export class BlockMetrics {
  readonly #blocks: Counter<'outcome'>;
  readonly #tokensSaved: Counter<'step'>;
  readonly #seconds: Histogram;

  constructor(metrics: Metrics) {
    this.#blocks = metrics.counter({
      name: 'compressor_blocks_total',
      help: 'Blocks of context looked at.',
      labels: ['outcome'],
    });
    this.#tokensSaved = metrics.counter({
      name: 'compressor_context_tokens_saved_total',
      help: 'Tokens that steps took away from context, estimated, each block counted once.',
      labels: ['step'],
    });
    this.#seconds = metrics.histogram({
      name: 'compressor_blocks_seconds',
      help: 'Time to compress the new blocks of one request.',
    });
  }

  /** Gives the tokens saved in all. */
  observe(reply: CompressBlocksReply, durationMs: number): number {
    if (reply.status === 'unknown') {
      this.#blocks.inc({ outcome: 'unknown_conversation' }, 1);
      return 0;
    }
    this.#seconds.observe(durationMs / 1000);
    let sum = 0;
    for (const { text, steps } of reply.results) {
      this.#blocks.inc({ outcome: text === null ? 'as_it_came' : 'compressed' }, 1);
      for (const { step, tokensBefore, tokensAfter } of steps) {
        this.#tokensSaved.inc({ step }, tokensBefore - tokensAfter);
        sum += tokensBefore - tokensAfter;
      }
    }
    return sum;
  }
}
