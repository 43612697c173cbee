import type { ExposedMetric, Instrument, InstrumentOptions } from './instrument.ts';
import { SeriesByLabels, type Labels } from './instrument.ts';

interface HistogramOptions<Label extends string> extends InstrumentOptions<Label> {
  /** Upper bounds of the buckets, ascending and inclusive. */
  readonly buckets: readonly number[];
}

interface HistogramSeries {
  readonly labels: Labels;
  /** Number of observed values per bucket, not cumulative. The last entry counts values above the highest bound. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Counts observed values by bucket. */
export class Histogram<Label extends string = string> implements Instrument {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series: SeriesByLabels<HistogramSeries>;

  constructor({ name, help, labelNames, buckets }: HistogramOptions<Label>) {
    this.name = name;
    this.#help = help;
    this.#bounds = [...buckets];
    this.#series = new SeriesByLabels(labelNames, (labels) => ({
      labels,
      counts: Array<number>(buckets.length + 1).fill(0),
      sum: 0,
      count: 0,
    }));
  }

  /** Throws unless the value is a finite number. */
  observe(value: number): void;
  observe(labels: Labels<Label>, value: number): void;
  observe(first: Labels<Label> | number, second = NaN): void {
    if (typeof first === 'number') this.#count({}, first);
    else this.#count(first, second);
  }

  get(): Promise<ExposedMetric> {
    const values = this.#series.all.flatMap((series) => this.#expose(series));
    return Promise.resolve({ name: this.name, help: this.#help, type: 'histogram', values });
  }

  #count(labels: Labels, value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`a histogram does not take ${value}`);
    const series = this.#series.find(labels);
    series.sum += value;
    series.count += 1;
    const bounds = this.#bounds;
    let bucket = 0;
    // Finds the bucket by linear search, because binary search is slower with so few bounds.
    while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
  }

  #expose({ labels: sharedLabels, counts, sum, count }: HistogramSeries): ExposedMetric['values'] {
    const { name } = this;
    let within = 0;
    const buckets = this.#bounds.map((le, bucket) => {
      within += counts[bucket] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: within };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf' }, sharedLabels, value: count },
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value: count },
    ];
  }
}
