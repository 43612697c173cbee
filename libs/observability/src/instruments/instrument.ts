import type { Labels } from './series-by-labels.ts';

export interface InstrumentOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
}

/** One line of the exposition. */
interface ExposedValue {
  readonly value: number;
  readonly labels: Labels;
  /** The metric's own name unless given. */
  readonly metricName?: string;
  /** Written behind `labels`. */
  readonly sharedLabels?: Labels;
}

/** A metric as prom-client's registry asks for it when it is scraped. */
export interface ExposedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly ExposedValue[];
}

/** What prom-client's registry asks of a metric to write it in Prometheus's own format. */
export interface Instrument {
  readonly name: string;
  get(): Promise<ExposedMetric>;
}
