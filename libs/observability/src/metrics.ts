import type { Metric } from 'prom-client';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { Counter, Gauge } from './instruments/counter-and-gauge.ts';
import { Histogram } from './instruments/histogram.ts';
import type { Instrument } from './instruments/instrument.ts';

/** Upper bounds in seconds, from a half millisecond to the longest a request may take. */
export const durationBucketsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];
/** Upper bounds for counts of tools, tokens or bytes: powers of four. */
export const sizeBuckets = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

interface MetricOptions<Label extends string> {
  /** In snake case, with its unit at the end (`_seconds`, `_bytes`, `_total`). */
  readonly name: string;
  readonly help: string;
  /** Only labels whose values are few: never an id, a model name from a request or a tool name. */
  readonly labels?: readonly Label[];
}

/** The Prometheus metrics of one process. */
export interface Metrics {
  readonly registry: Pick<Registry, 'getSingleMetric'>;
  counter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label>;
  gauge<Label extends string = never>(
    options: MetricOptions<Label> & { collect?: () => number },
  ): Gauge<Label>;
  /** Buckets are those of durations in seconds unless given. */
  histogram<Label extends string = never>(
    options: MetricOptions<Label> & { buckets?: readonly number[] },
  ): Histogram<Label>;
  /** The text that Prometheus scrapes. */
  render(): Promise<{ contentType: string; body: string }>;
}

/**
 * A registry with the process metrics: processor time, memory, garbage collection, and the delay of the event loop
 * (`nodejs_eventloop_lag_*_seconds`). The service's own are counted here and only written by prom-client, whose counting
 * (a key made of the labels, a bucket found by its bound's name) costs several times as much.
 */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const register = <Made extends Instrument>(instrument: Made): Made => {
    // Typed for prom-client's own classes alone; of a metric it asks its name and `get`.
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

/** Tells how a process's pool of Postgres connections is used, whenever it is scraped. */
export function watchPool(metrics: Metrics, read: () => PoolUse): void {
  metrics.gauge({
    name: 'postgres_pool_open_connections',
    help: 'Connections to Postgres that are open.',
    collect: () => read().open,
  });
  metrics.gauge({
    name: 'postgres_pool_idle_connections',
    help: 'Connections to Postgres that are open and do nothing.',
    collect: () => read().idle,
  });
  metrics.gauge({
    name: 'postgres_pool_waiting_queries',
    help: 'Queries that wait for a connection to Postgres.',
    collect: () => read().waiting,
  });
}
