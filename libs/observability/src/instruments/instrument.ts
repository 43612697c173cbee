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

/** Values of a metric's labels. Those that are left out stay out of the series' name. */
export type Labels<Label extends string = string> = Readonly<Partial<Record<Label, string | number>>>;

interface Branch<Series> {
  readonly byValue: Map<string | undefined, Branch<Series>>;
  series: Series | undefined;
}

/**
 * The series of one metric, each found by the values of its labels, one after another: that costs a look-up a label, where
 * a joined key would be made, hashed and thrown away with every observation.
 */
export class SeriesByLabels<Series> {
  readonly #names: readonly string[];
  readonly #create: (labels: Labels) => Series;
  readonly #root: Branch<Series> = { byValue: new Map(), series: undefined };
  /** In the order in which they came up. */
  readonly all: Series[] = [];

  /** A metric without labels has its one series from the start. */
  constructor(names: readonly string[], create: (labels: Labels) => Series) {
    this.#names = names;
    this.#create = create;
    if (names.length === 0) this.#add(this.#root, {});
  }

  /** Makes the series when it comes up first. Throws then, if there is a label that the metric has not. */
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
    if (unknown !== undefined) throw new Error(`the metric has no label “${unknown}”`);
    const series = this.#create({ ...labels });
    branch.series = series;
    this.all.push(series);
    return series;
  }
}
