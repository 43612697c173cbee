import type { CompressBlocksReply, CompressSchemasReply, TokenCounts } from '@gateway/contracts';
import type { Counter, Histogram, Metrics } from '@gateway/observability';

/** Prometheus metrics for context compression. */
export class BlockMetrics {
  readonly #blocks: Counter<'outcome'>;
  readonly #tokensSaved: Counter<'step'>;
  readonly #tokensExact: Counter<'counted' | 'state'>;
  readonly #seconds: Histogram;

  constructor(metrics: Metrics) {
    this.#blocks = metrics.counter({
      name: 'compressor_blocks_total',
      help: 'Context blocks received for compression.',
      labels: ['outcome'],
    });
    this.#tokensSaved = metrics.counter({
      name: 'compressor_context_tokens_saved_total',
      help: 'Estimated tokens that compression steps removed from context. Each block counts once.',
      labels: ['step'],
    });
    this.#tokensExact = metrics.counter({
      name: 'compressor_counted_tokens_total',
      help: 'Tokens of compressed blocks with a known exact count (o200k): the estimate during the request and the exact count afterwards.',
      labels: ['counted', 'state'],
    });
    this.#seconds = metrics.histogram({
      name: 'compressor_blocks_seconds',
      help: 'Time to compress the new blocks of one request.',
    });
  }

  observeExact(estimated: TokenCounts, exact: TokenCounts): void {
    for (const [counted, { before, after }] of Object.entries({ estimated, exact })) {
      this.#tokensExact.inc({ counted, state: 'before' }, before);
      this.#tokensExact.inc({ counted, state: 'after' }, after);
    }
  }

  /** Returns the total number of saved tokens. */
  observe(reply: CompressBlocksReply, durationMs: number): number {
    if (reply.status !== 'compressed') {
      const outcome = reply.status === 'unknown' ? 'unknown_conversation' : 'unsupported_version';
      this.#blocks.inc({ outcome }, 1);
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

/** Prometheus metrics for schema compression. */
export class SchemaMetrics {
  readonly #definitions: Counter;
  readonly #tokensSaved: Counter<'step'>;
  readonly #seconds: Histogram;

  constructor(metrics: Metrics) {
    this.#definitions = metrics.counter({
      name: 'compressor_definitions_total',
      help: 'Tool definitions received for compression.',
    });
    this.#tokensSaved = metrics.counter({
      name: 'compressor_schema_tokens_saved_total',
      help: 'Estimated tokens that compression steps removed from tool definitions. Each definition counts once.',
      labels: ['step'],
    });
    this.#seconds = metrics.histogram({
      name: 'compressor_schemas_seconds',
      help: 'Time to compress the definitions of one request.',
    });
  }

  /** Returns the total number of saved tokens. */
  observe({ results }: CompressSchemasReply, durationMs: number): number {
    this.#definitions.inc(results.length);
    this.#seconds.observe(durationMs / 1000);
    let sum = 0;
    for (const { step, tokensBefore, tokensAfter } of results.flatMap(({ steps }) => steps)) {
      this.#tokensSaved.inc({ step }, tokensBefore - tokensAfter);
      sum += tokensBefore - tokensAfter;
    }
    return sum;
  }
}
