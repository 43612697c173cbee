import type { CatalogModel } from '@gateway/model-catalog';
import type { ListedModel } from '../choice/question.ts';

interface Figure {
  readonly model: number;
  readonly measure: number;
  readonly value: number;
}

/** Number of iterations of alternating least squares, after which the fit has converged. */
const rounds = 30;
/** Weight of a model's prior in the fit. A benchmark result has the weight 1. */
const priorWeight = 0.5;

/**
 * Rates the quality, from 0 to 1, of models that the gateway has not observed yet. Each benchmark in the
 * catalogue has its own scale. Models that occur in two benchmarks make the scales of the two benchmarks
 * comparable. The fit determines an intercept and a slope for each benchmark, and an ability for each model.
 * The fit is `value ≈ intercept + slope × ability`, as in item response models. The method is alternating
 * least squares. A model without benchmark figures is rated only by its output price and its age.
 */
export function rateQuality(models: readonly CatalogModel[]): ReadonlyMap<CatalogModel, number> {
  const figures = listFigures(models);
  const guesses = models.map(estimateAbility);
  const abilities = Float64Array.from(guesses);
  const ofModel = groupBy(figures, ({ model }) => model);
  const ofMeasure = groupBy(figures, ({ measure }) => measure);
  for (let round = 0; round < rounds; round += 1) {
    const scales = new Map([...ofMeasure].map(([measure, seen]) => [measure, fitScale(seen, abilities)]));
    for (const [model, seen] of ofModel) {
      let [sum, weight] = [(guesses[model] ?? 0) * priorWeight, priorWeight];
      for (const { measure, value } of seen) {
        const { intercept, slope } = scales.get(measure) ?? { intercept: 0, slope: 1 };
        sum += (value - intercept) / slope;
        weight += 1;
      }
      abilities[model] = sum / weight;
    }
  }
  return new Map(models.map((model, at) => [model, sigmoid(abilities[at] ?? 0)]));
}

/** Minimum number of models in a benchmark. The scale of a benchmark with fewer models cannot be estimated. */
const modelsMin = 8;

function listFigures(models: readonly CatalogModel[]): Figure[] {
  const measures = new Map<string, number>();
  const figures = models.flatMap(({ quality }, model) =>
    quality.map(({ measure, unit, setting, value }): Figure => {
      const name = `${measure}|${unit ?? ''}|${setting ?? ''}`;
      if (!measures.has(name)) measures.set(name, measures.size);
      return { model, measure: measures.get(name) ?? 0, value };
    }),
  );
  const counts = new Map<number, number>();
  for (const { measure } of figures) counts.set(measure, (counts.get(measure) ?? 0) + 1);
  return figures.filter(({ measure }) => (counts.get(measure) ?? 0) >= modelsMin);
}

/**
 * A model's ability before benchmark results are considered. A model released in mid-2025 at 3 USD per
 * million output tokens has the ability 0. One more year, or four times the price, increases the ability by
 * 1.
 */
function estimateAbility({ prices, releasedAt }: CatalogModel): number {
  const price = Math.max(0.05, prices?.output ?? 1);
  const years =
    releasedAt === null ? -0.5 : (Date.parse(releasedAt) - Date.parse('2025-07-01')) / 31_557_600_000;
  return Math.log2(price / 3) / 2 + years;
}

/**
 * Fits the benchmark values to the abilities by least squares. The slope is never negative, because a better
 * model does not get a lower benchmark score.
 */
function fitScale(seen: readonly Figure[], abilities: Float64Array): { intercept: number; slope: number } {
  const xs = seen.map(({ model }) => abilities[model] ?? 0);
  const [meanX, meanY] = [meanOf(xs), meanOf(seen.map(({ value }) => value))];
  let [xx, xy, yy] = [0, 0, 0];
  seen.forEach(({ value }, at) => {
    const dx = (xs[at] ?? 0) - meanX;
    xx += dx * dx;
    xy += dx * (value - meanY);
    yy += (value - meanY) ** 2;
  });
  const deviation = Math.sqrt(yy / seen.length) || 1;
  const slope = Math.max(0.5 * deviation, (xy + 0.1 * deviation) / (xx + 0.1));
  return { intercept: meanY - slope * meanX, slope };
}

function sigmoid(ability: number): number {
  return 1 / (1 + Math.exp(-ability));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => number): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/**
 * Returns a catalogue's chat models with their quality, grouped by provider. The call takes tens of
 * milliseconds, so each process should call the function only once.
 */
export function listModels(models: readonly CatalogModel[]): ReadonlyMap<string, readonly ListedModel[]> {
  const chat = models.filter(({ kind }) => kind === 'chat');
  const listed = new Map<string, ListedModel[]>();
  for (const [model, quality] of rateQuality(chat)) {
    const ofProvider = listed.get(model.provider) ?? [];
    listed.set(model.provider, ofProvider);
    ofProvider.push({ model, id: `${model.provider}/${model.modelId}`, quality });
  }
  return listed;
}
