import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type { Counter, Gauge, Histogram } from 'prom-client';

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
  readonly registry: Registry;
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
 * (`nodejs_eventloop_lag_*_seconds`).
 */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const common = <Label extends string>({ name, help, labels = [] }: MetricOptions<Label>) => ({
    name,
    help,
    labelNames: labels,
    registers,
  });
  return {
    registry,
    counter: (options) => new Counter(common(options)),
    gauge: ({ collect, ...options }) =>
      new Gauge({
        ...common(options),
        ...(collect === undefined
          ? {}
          : {
              collect() {
                this.set(collect());
              },
            }),
      }),
    histogram: ({ buckets, ...options }) =>
      new Histogram({ ...common(options), buckets: [...(buckets ?? durationBucketsSeconds)] }),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
