import type { PlanToolsReply } from '@gateway/contracts';
import type { Counter, Histogram, Metrics } from '@gateway/observability';
import { sizeBuckets } from '@gateway/observability';
import type { EncoderPlace } from '../inference/inference-protocol.ts';
import type { Urgency } from '../inference/inference.port.ts';

/** Prometheus metrics for plans. */
export class PlanMetrics {
  readonly #plans: Counter<'outcome'>;
  readonly #seconds: Histogram;
  readonly #toolsIn: Histogram;
  readonly #toolsOut: Histogram;

  constructor(metrics: Metrics) {
    this.#plans = metrics.counter({
      name: 'tool_router_plans_total',
      help: 'Plans by reason, including requests with unknown lists or tools.',
      labels: ['outcome'],
    });
    this.#seconds = metrics.histogram({ name: 'tool_router_plan_seconds', help: 'Seconds to make a plan.' });
    this.#toolsIn = metrics.histogram({
      name: 'tool_router_tools_in',
      help: 'Tools per planned list.',
      buckets: sizeBuckets,
    });
    this.#toolsOut = metrics.histogram({
      name: 'tool_router_tools_out',
      help: 'Forwarded tools per plan.',
      buckets: sizeBuckets,
    });
  }

  observe(reply: PlanToolsReply, durationMs: number): void {
    this.#plans.inc({ outcome: reply.status === 'planned' ? reply.kReason : reply.status });
    if (reply.status !== 'planned') return;
    this.#seconds.observe(durationMs / 1000);
    this.#toolsIn.observe(reply.candidates.length);
    this.#toolsOut.observe(reply.forwarded.length);
  }
}

/** Prometheus metrics for rankings. */
export class RankingMetrics {
  readonly #rankings: Counter<'lane' | 'reason'>;
  readonly #encoders: Counter<'encoders'>;
  readonly #seconds: Histogram<'lane'>;

  constructor(metrics: Metrics) {
    this.#rankings = metrics.counter({
      name: 'tool_router_rankings_total',
      help: 'Rankings by method (label lane) and reason. Cached rankings are not counted.',
      labels: ['lane', 'reason'],
    });
    this.#encoders = metrics.counter({
      name: 'tool_router_semantic_rankings_total',
      help: 'Rankings by the semantic method, with the first encoder or with both encoders.',
      labels: ['encoders'],
    });
    this.#seconds = metrics.histogram({
      name: 'tool_router_ranking_seconds',
      help: 'Seconds to rank a list for one turn, by method (label lane).',
      labels: ['lane'],
    });
  }

  /** @param ranked the ranking method, the reason for it, and the encoders of a semantic ranking */
  observe(
    { lane, reason, encoders }: { lane: 'semantic' | 'keyword'; reason: string; encoders: 'first' | 'both' },
    durationMs: number,
  ): void {
    this.#rankings.inc({ lane, reason });
    if (lane === 'semantic') this.#encoders.inc({ encoders });
    this.#seconds.observe({ lane }, durationMs / 1000);
  }
}

/**
 * The source from which a tool's vector comes. The source `given_up` means that too many definitions were waiting, or that
 * the model failed. The source `forgotten` means that no store has the vector, so the tool's definition is requested again.
 */
type VectorSource = 'memory' | 'shared' | 'made' | 'given_up' | 'forgotten';

type VectorCounter = Counter<'source' | 'encoder'>;
type MatrixCounter = Counter<'outcome' | 'encoder'>;

/** Prometheus metrics for the vectors of one encoder. */
export class VectorMetrics {
  readonly #vectors: VectorCounter;
  readonly #matrices: MatrixCounter;
  readonly #encoder: EncoderPlace;

  private constructor(vectors: VectorCounter, matrices: MatrixCounter, encoder: EncoderPlace) {
    this.#vectors = vectors;
    this.#matrices = matrices;
    this.#encoder = encoder;
  }

  static open(metrics: Metrics): Readonly<Record<EncoderPlace, VectorMetrics>> {
    const vectors = metrics.counter({
      name: 'tool_router_vectors_total',
      help: "Requested tool vectors by source (this process's memory, Redis or the model) and encoder.",
      labels: ['source', 'encoder'] as const,
    });
    const matrices = metrics.counter({
      name: 'tool_router_matrices_total',
      help: 'Requested matrices of tool lists by encoder: cached (hit) or assembled (miss).',
      labels: ['outcome', 'encoder'] as const,
    });
    return {
      first: new VectorMetrics(vectors, matrices, 'first'),
      second: new VectorMetrics(vectors, matrices, 'second'),
    };
  }

  countVectors(source: VectorSource, vectors: number): void {
    if (vectors > 0) this.#vectors.inc({ source, encoder: this.#encoder }, vectors);
  }

  countMatrix(outcome: 'hit' | 'miss'): void {
    this.#matrices.inc({ outcome, encoder: this.#encoder });
  }
}

/** Prometheus metrics for inference. */
export class InferenceMetrics {
  readonly #batches: Histogram<'urgency'>;
  readonly #seconds: Histogram<'urgency'>;
  readonly #tasks: Counter<'urgency'>;

  constructor(metrics: Metrics) {
    const labels = ['urgency'] as const;
    this.#batches = metrics.histogram({
      name: 'tool_router_inference_batch_tasks',
      help: 'Tasks per inference batch.',
      labels,
      buckets: [1, 2, 4, 8, 16, 32, 64],
    });
    this.#seconds = metrics.histogram({
      name: 'tool_router_inference_seconds',
      help: 'Seconds of inference per batch.',
      labels,
    });
    this.#tasks = metrics.counter({
      name: 'tool_router_inference_tasks_total',
      help: 'Completed inference tasks by urgency.',
      labels,
    });
  }

  observeBatch(urgency: Urgency, tasks: number, inferenceMs: number): void {
    this.#batches.observe({ urgency }, tasks);
    this.#seconds.observe({ urgency }, inferenceMs / 1000);
    this.#tasks.inc({ urgency }, tasks);
  }
}
