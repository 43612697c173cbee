import type { ExposedMetric, Instrument, InstrumentOptions, Labels } from './instrument.ts';
import { SeriesByLabels } from './instrument.ts';

/** A counter that only increases. */
export class Counter<Label extends string = string> implements Instrument {
  readonly name: string;
  readonly #help: string;
  readonly #series: SeriesByLabels<{ readonly labels: Labels; value: number }>;

  constructor({ name, help, labelNames }: InstrumentOptions<Label>) {
    this.name = name;
    this.#help = help;
    this.#series = new SeriesByLabels(labelNames, (labels) => ({ labels, value: 0 }));
  }

  /** Increases the counter, by 1 by default. Throws for negative or infinite values. */
  inc(value?: number): void;
  inc(labels: Labels<Label>, value?: number): void;
  inc(first: Labels<Label> | number = 1, second = 1): void {
    if (typeof first === 'number') this.#add({}, first);
    else this.#add(first, second);
  }

  #add(labels: Labels, value: number): void {
    if (value < 0 || value === Infinity) throw new Error(`a counter cannot be increased by ${value}`);
    this.#series.find(labels).value += value;
  }

  get(): Promise<ExposedMetric> {
    const { name } = this;
    return Promise.resolve({ name, help: this.#help, type: 'counter', values: this.#series.all });
  }
}

interface GaugeOptions<Label extends string> extends InstrumentOptions<Label> {
  /** A function that returns the current value of the metric. Called at every scrape. */
  readonly collect?: (() => number) | undefined;
}

/** A metric with a value that can increase and decrease. */
export class Gauge<Label extends string = string> implements Instrument {
  readonly name: string;
  readonly #help: string;
  readonly #collect: (() => number) | undefined;
  readonly #series: SeriesByLabels<{ labels: Labels; value: number }>;

  constructor({ name, help, labelNames, collect }: GaugeOptions<Label>) {
    this.name = name;
    this.#help = help;
    this.#collect = collect;
    this.#series = new SeriesByLabels(labelNames, (labels) => ({ labels, value: 0 }));
  }

  set(value: number): void;
  set(labels: Labels<Label>, value: number): void;
  set(first: Labels<Label> | number, second = 0): void {
    const [labels, value] = typeof first === 'number' ? [{}, first] : [first, second];
    const series = this.#series.find(labels);
    // Labels are written in the order of the latest `set` call, as in prom-client.
    series.labels = { ...labels };
    series.value = value;
  }

  /** Increases the value, by 1 by default. `dec` decreases the value, by 1 by default. */
  inc(value?: number): void;
  inc(labels: Labels<Label>, value?: number): void;
  inc(first: Labels<Label> | number = 1, second = 1): void {
    if (typeof first === 'number') this.#series.find({}).value += first;
    else this.#series.find(first).value += second;
  }

  dec(value?: number): void;
  dec(labels: Labels<Label>, value?: number): void;
  dec(first: Labels<Label> | number = 1, second = 1): void {
    if (typeof first === 'number') this.inc(-first);
    else this.inc(first, -second);
  }

  /** Rejects with the error that `collect` throws. */
  get(): Promise<ExposedMetric> {
    return new Promise((resolve) => {
      if (this.#collect !== undefined) this.set(this.#collect());
      resolve({ name: this.name, help: this.#help, type: 'gauge', values: this.#series.all });
    });
  }
}
