import type { Counter, Histogram, Metrics } from '@gateway/observability';
import type { LaneReason } from './ranker.port.ts';

/** What the router tells Prometheus about its rankings. */
export class RankingMetrics {
  readonly #rankings: Counter<'lane' | 'reason'>;
  readonly #seconds: Histogram<'lane'>;

  constructor(metrics: Metrics) {
    this.#rankings = metrics.counter({
      name: 'tool_router_rankings_total',
      help: 'Rankings by lane, and why it was taken. Those that the memo answers are not counted.',
      labels: ['lane', 'reason'],
    });
    this.#seconds = metrics.histogram({
      name: 'tool_router_ranking_seconds',
      help: 'Time to rank a list for one turn, by lane.',
      labels: ['lane'],
    });
  }

  observe(lane: 'semantic' | 'keyword', reason: LaneReason, durationMs: number): void {
    this.#rankings.inc({ lane, reason });
    this.#seconds.observe({ lane }, durationMs / 1000);
  }
}
