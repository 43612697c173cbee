import type { Metric } from 'prom-client';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { Counter, Gauge } from './instruments/counter-and-gauge.ts';
import { Histogram } from './instruments/histogram.ts';
import type { Instrument } from './instruments/instrument.ts';

/** Upper bucket bounds in seconds, from half a millisecond to the longest possible request. */
export const durationBucketsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];
/** Upper bucket bounds for counts of tools, tokens or bytes, in powers of four. */
export const sizeBuckets = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

interface MetricOptions<Label extends string> {
  /** The metric name in snake case with a unit suffix (`_seconds`, `_bytes`, `_total`). */
  readonly name: string;
  readonly help: string;
  /**
   * The names of the labels. Use only labels that have few distinct values. Never use an id, a model name
   * from a request, or a tool name as a label.
   */
  readonly labels?: readonly Label[];
}

/** The Prometheus metrics of one process. */
export interface Metrics {
  readonly registry: Pick<Registry, 'getSingleMetric'>;
  counter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label>;
  gauge<Label extends string = never>(
    options: MetricOptions<Label> & { collect?: () => number },
  ): Gauge<Label>;
  /** Upper bounds of the buckets. The default buckets are for durations in seconds. */
  histogram<Label extends string = never>(
    options: MetricOptions<Label> & { buckets?: readonly number[] },
  ): Histogram<Label>;
  /** Returns the text that Prometheus scrapes. */
  render(): Promise<{ contentType: string; body: string }>;
}

/**
 * Creates a registry with the metrics of the process, which are CPU time, memory, garbage collection, and
 * event loop delay (`nodejs_eventloop_lag_*_seconds`). The gateway's metric classes count values, and
 * prom-client only renders the output. Counting with prom-client takes several times as long, because
 * prom-client joins labels into keys and finds buckets by name.
 */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const register = <Made extends Instrument>(instrument: Made): Made => {
    // The registry's type accepts only prom-client's classes, but its code uses only the name and `get`.
    registry.registerMetric(instrument as unknown as Metric);
    return instrument;
  };
  return {
    registry,
    counter: ({ labels = [], ...options }) => register(new Counter({ ...options, labelNames: labels })),
    gauge: ({ labels = [], ...options }) => register(new Gauge({ ...options, labelNames: labels })),
    histogram: ({ labels = [], buckets = durationBucketsSeconds, ...options }) =>
      register(new Histogram({ ...options, buckets, labelNames: labels })),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

interface PoolUse {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Reports Postgres connection pool usage at every scrape. */
export function watchPool(metrics: Metrics, read: () => PoolUse): void {
  metrics.gauge({
    name: 'postgres_pool_open_connections',
    help: 'Open connections to Postgres.',
    collect: () => read().open,
  });
  metrics.gauge({
    name: 'postgres_pool_idle_connections',
    help: 'Idle connections to Postgres.',
    collect: () => read().idle,
  });
  metrics.gauge({
    name: 'postgres_pool_waiting_queries',
    help: 'Queries waiting for a connection to Postgres.',
    collect: () => read().waiting,
  });
}
