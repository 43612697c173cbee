export interface InstrumentOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
}

/** One line in Prometheus's exposition format. */
interface ExposedValue {
  readonly value: number;
  readonly labels: Labels;
  /** The name of the series. By default, a series has the name of its metric. */
  readonly metricName?: string;
  /** Labels that are rendered after `labels`. */
  readonly sharedLabels?: Labels;
}

/** Metric data that prom-client's registry reads at every scrape. */
export interface ExposedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly ExposedValue[];
}

/** The members of a metric that prom-client's registry uses to render the Prometheus format. */
export interface Instrument {
  readonly name: string;
  get(): Promise<ExposedMetric>;
}

/** Label values for a series. Omitted labels are not part of the series. */
export type Labels<Label extends string = string> = Readonly<Partial<Record<Label, string | number>>>;

interface Branch<Series> {
  readonly byValue: Map<string | undefined, Branch<Series>>;
  series: Series | undefined;
}

/**
 * The series of one metric, in a tree keyed by label values. Looking up each label separately is cheaper
 * than building and hashing a joined key for every observation.
 */
export class SeriesByLabels<Series> {
  readonly #names: readonly string[];
  readonly #create: (labels: Labels) => Series;
  readonly #root: Branch<Series> = { byValue: new Map(), series: undefined };
  /** The series in creation order. */
  readonly all: Series[] = [];

  /** A metric without labels has a single series, which exists from the start. */
  constructor(names: readonly string[], create: (labels: Labels) => Series) {
    this.#names = names;
    this.#create = create;
    if (names.length === 0) this.#add(this.#root, {});
  }

  /** Finds a series, or creates the series on first use. Throws for a label that the metric does not have. */
  find(labels: Labels): Series {
    let branch = this.#root;
    for (const name of this.#names) {
      const given = labels[name];
      const value = typeof given === 'number' ? String(given) : given;
      let next = branch.byValue.get(value);
      if (next === undefined) {
        next = { byValue: new Map(), series: undefined };
        branch.byValue.set(value, next);
      }
      branch = next;
    }
    return branch.series ?? this.#add(branch, labels);
  }

  #add(branch: Branch<Series>, labels: Labels): Series {
    const unknown = Object.keys(labels).find((name) => !this.#names.includes(name));
    if (unknown !== undefined) throw new Error(`the metric has no label "${unknown}"`);
    const series = this.#create({ ...labels });
    branch.series = series;
    this.all.push(series);
    return series;
  }
}
