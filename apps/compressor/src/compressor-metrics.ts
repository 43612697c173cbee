import type { CompressBlocksReply, CompressSchemasReply, TokenCounts } from '@gateway/contracts';
import type { Counter, Histogram, Metrics } from '@gateway/observability';

/** What the compressor tells Prometheus about context. */
export class BlockMetrics {
  readonly #blocks: Counter<'outcome'>;
  readonly #tokensSaved: Counter<'step'>;
  readonly #tokensExact: Counter<'counted' | 'state'>;
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
    this.#tokensExact = metrics.counter({
      name: 'compressor_counted_tokens_total',
      help: 'Tokens of compressed blocks whose exact count (o200k) is known, as estimated on the path and as counted after it.',
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

/** What the compressor tells Prometheus. */
export class SchemaMetrics {
  readonly #definitions: Counter;
  readonly #tokensSaved: Counter<'step'>;
  readonly #seconds: Histogram;

  constructor(metrics: Metrics) {
    this.#definitions = metrics.counter({
      name: 'compressor_definitions_total',
      help: 'Tool definitions looked at.',
    });
    this.#tokensSaved = metrics.counter({
      name: 'compressor_schema_tokens_saved_total',
      help: 'Tokens that steps took away from tool definitions, estimated, each definition counted once.',
      labels: ['step'],
    });
    this.#seconds = metrics.histogram({
      name: 'compressor_schemas_seconds',
      help: 'Time to compress the definitions of one request.',
    });
  }

  /** Gives the tokens saved in all. */
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
