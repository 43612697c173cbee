import type { PlanToolsReply } from '@gateway/contracts';
import { sizeBuckets, type Counter, type Histogram, type Metrics } from '@gateway/observability';

/** What the router tells Prometheus about its plans. */
export class PlanMetrics {
  readonly #plans: Counter<'outcome'>;
  readonly #seconds: Histogram;
  readonly #toolsIn: Histogram;
  readonly #toolsOut: Histogram;

  constructor(metrics: Metrics) {
    this.#plans = metrics.counter({
      name: 'tool_router_plans_total',
      help: 'Plans by reason, and questions about lists or tools that were not known.',
      labels: ['outcome'],
    });
    this.#seconds = metrics.histogram({ name: 'tool_router_plan_seconds', help: 'Time to make a plan.' });
    this.#toolsIn = metrics.histogram({
      name: 'tool_router_tools_in',
      help: 'Tools of the lists that were planned.',
      buckets: sizeBuckets,
    });
    this.#toolsOut = metrics.histogram({
      name: 'tool_router_tools_out',
      help: 'Tools that the plans forward.',
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
