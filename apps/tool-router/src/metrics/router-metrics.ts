import type { PlanToolsReply } from '@gateway/contracts';
import type { Counter, Histogram, Metrics } from '@gateway/observability';
import { sizeBuckets } from '@gateway/observability';
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
  readonly #seconds: Histogram<'lane'>;

  constructor(metrics: Metrics) {
    this.#rankings = metrics.counter({
      name: 'tool_router_rankings_total',
      help: 'Rankings by method (label lane) and reason. Cached rankings are not counted.',
      labels: ['lane', 'reason'],
    });
    this.#seconds = metrics.histogram({
      name: 'tool_router_ranking_seconds',
      help: 'Seconds to rank a list for one turn, by method (label lane).',
      labels: ['lane'],
    });
  }

  observe(lane: 'semantic' | 'keyword', reason: string, durationMs: number): void {
    this.#rankings.inc({ lane, reason });
    this.#seconds.observe({ lane }, durationMs / 1000);
  }
}

/**
 * The source of a tool's vector. With `given_up`, too many definitions were waiting, or the model failed. With
 * `forgotten`, the vector is not stored anywhere, so its definition is requested again.
 */
type VectorSource = 'memory' | 'shared' | 'made' | 'given_up' | 'forgotten';

/** Prometheus metrics for vectors. */
export class VectorMetrics {
  readonly #vectors: Counter<'source'>;
  readonly #matrices: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.#vectors = metrics.counter({
      name: 'tool_router_vectors_total',
      help: "Requested tool vectors by source: this process's memory, Redis or the model.",
      labels: ['source'],
    });
    this.#matrices = metrics.counter({
      name: 'tool_router_matrices_total',
      help: 'Requested matrices of tool lists: cached (hit) or assembled (miss).',
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
