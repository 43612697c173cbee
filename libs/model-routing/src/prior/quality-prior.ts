import type { CatalogModel } from '@gateway/model-catalog';
import type { ListedModel } from '../choice/question.ts';

interface Figure {
  readonly model: number;
  readonly measure: number;
  readonly value: number;
}

/** Rounds of turns in which models are placed by measures, and measures by models. It has settled by then. */
const rounds = 30;
/** What the prior of a model is worth against one figure of it. */
const priorWeight = 0.5;

/**
 * How capable models are, 0 to 1, before they have been seen at work. Each public measurement in the catalogue has a scale of
 * its own; what links two of them is the models that both have judged. So every measure gets a place and a spread, and
 * every model one ability, such that `value ≈ place + spread × ability` (least squares by turns, as in item response models).
 * A model without figures is placed by its output price and its age alone, as the others of the catalogue are on average.
 */
export function rateQuality(models: readonly CatalogModel[]): ReadonlyMap<CatalogModel, number> {
  const figures = listFigures(models);
  const guesses = models.map(guessAbility);
  const abilities = Float64Array.from(guesses);
  const ofModel = groupBy(figures, ({ model }) => model);
  const ofMeasure = groupBy(figures, ({ measure }) => measure);
  for (let round = 0; round < rounds; round += 1) {
    const scales = new Map([...ofMeasure].map(([measure, seen]) => [measure, fitScale(seen, abilities)]));
    for (const [model, seen] of ofModel) {
      let [sum, weight] = [(guesses[model] ?? 0) * priorWeight, priorWeight];
      for (const { measure, value } of seen) {
        const { place, spread } = scales.get(measure) ?? { place: 0, spread: 1 };
        sum += (value - place) / spread;
        weight += 1;
      }
      abilities[model] = sum / weight;
    }
  }
  return new Map(models.map((model, at) => [model, squash(abilities[at] ?? 0)]));
}

/** Small or obscure measurements say little: with fewer models the scale cannot be told. */
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

/** In the middle of 2025, at 3 USD per million output tokens: 0. A year newer, or four times as dear: one more. */
function guessAbility({ prices, releasedAt }: CatalogModel): number {
  const price = Math.max(0.05, prices?.output ?? 1);
  const years =
    releasedAt === null ? -0.5 : (Date.parse(releasedAt) - Date.parse('2025-07-01')) / 31_557_600_000;
  return Math.log2(price / 3) / 2 + years;
}

/** Least squares of value on ability, with a spread that is never negative: more able models do not do worse. */
function fitScale(seen: readonly Figure[], abilities: Float64Array): { place: number; spread: number } {
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
  const spread = Math.max(0.5 * deviation, (xy + 0.1 * deviation) / (xx + 0.1));
  return { place: meanY - spread * meanX, spread };
}

function squash(ability: number): number {
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

/** The chat models of a catalogue as they may be chosen, by provider. Some tens of milliseconds: once a process. */
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
