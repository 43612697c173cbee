import type { CompressSchemasReply } from '@gateway/contracts';
import type { Counter, Histogram, Metrics } from '@gateway/observability';

/** What the compressor tells Prometheus. */
export class CompressionMetrics {
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
