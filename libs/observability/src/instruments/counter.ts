import type { ExposedMetric, Instrument, InstrumentOptions } from './instrument.ts';
import { SeriesByLabels, type Labels } from './series-by-labels.ts';

/** A sum that only grows. */
export class Counter<Label extends string = string> implements Instrument {
  readonly name: string;
  readonly #help: string;
  readonly #series: SeriesByLabels<{ readonly labels: Labels; value: number }>;

  constructor({ name, help, labelNames }: InstrumentOptions<Label>) {
    this.name = name;
    this.#help = help;
    this.#series = new SeriesByLabels(labelNames, (labels) => ({ labels, value: 0 }));
  }

  /** By 1 unless given. Throws for what is negative or infinite. */
  inc(value?: number): void;
  inc(labels: Labels<Label>, value?: number): void;
  inc(first: Labels<Label> | number = 1, second = 1): void {
    if (typeof first === 'number') this.#add({}, first);
    else this.#add(first, second);
  }

  #add(labels: Labels, value: number): void {
    if (value < 0 || value === Infinity) throw new Error(`a counter does not grow by ${value}`);
    this.#series.find(labels).value += value;
  }

  get(): Promise<ExposedMetric> {
    const { name } = this;
    return Promise.resolve({ name, help: this.#help, type: 'counter', values: this.#series.all });
  }
}
