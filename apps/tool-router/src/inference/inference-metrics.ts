import type { Counter, Histogram, Metrics } from '@gateway/observability';
import type { Urgency } from './inference.port.ts';

/** What the router tells Prometheus about its models' work. */
export class InferenceMetrics {
  readonly #batches: Histogram<'urgency'>;
  readonly #seconds: Histogram<'urgency'>;
  readonly #tasks: Counter<'urgency'>;

  constructor(metrics: Metrics) {
    const labels = ['urgency'] as const;
    this.#batches = metrics.histogram({
      name: 'tool_router_inference_batch_tasks',
      help: 'Tasks that went to the models together.',
      labels,
      buckets: [1, 2, 4, 8, 16, 32, 64],
    });
    this.#seconds = metrics.histogram({
      name: 'tool_router_inference_seconds',
      help: 'Time that the models took for a batch.',
      labels,
    });
    this.#tasks = metrics.counter({
      name: 'tool_router_inference_tasks_total',
      help: 'Tasks that the models did, by who waited for them.',
      labels,
    });
  }

  observeBatch(urgency: Urgency, tasks: number, inferenceMs: number): void {
    this.#batches.observe({ urgency }, tasks);
    this.#seconds.observe({ urgency }, inferenceMs / 1000);
    this.#tasks.inc({ urgency }, tasks);
  }
}
