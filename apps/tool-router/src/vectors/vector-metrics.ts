import type { Counter, Metrics } from '@gateway/observability';

/** Where vectors came from. `given_up`: too many waited, or the model failed; `forgotten`: nobody has it, and the definition is asked for again. */
export type VectorSource = 'memory' | 'shared' | 'made' | 'given_up' | 'forgotten';

/** What the router tells Prometheus about vectors. */
export class VectorMetrics {
  readonly #vectors: Counter<'source'>;
  readonly #matrices: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.#vectors = metrics.counter({
      name: 'tool_router_vectors_total',
      help: "Vectors of tools that were needed, by where they came from: this process's memory, Redis, or the model.",
      labels: ['source'],
    });
    this.#matrices = metrics.counter({
      name: 'tool_router_matrices_total',
      help: "Lists' matrices that were needed: kept (hit) or put together (miss).",
      labels: ['outcome'],
    });
  }

  countVectors(source: VectorSource, vectors: number): void {
    if (vectors > 0) this.#vectors.inc({ source }, vectors);
  }

  countMatrix(outcome: 'hit' | 'miss'): void {
    this.#matrices.inc({ outcome });
  }
}
