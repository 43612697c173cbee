import type { CatalogModel } from '@gateway/model-catalog';
import { billSession } from './bill.ts';
import { replayNative } from './replay-native.ts';
import type { ReplayOutcome, ReplaySettings, ReplaySubject } from './replay.ts';
import { replaySession, replayStateless } from './replay-session.ts';

/** The values of K on the frontier, from 5 up to all tools. */
const frontierK = [5, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
const targets = [0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.991, 0.9925, 0.995, 0.9999];
const uses = [0.8, 0.9, 1] as const;
/** The assumed probability that the model uses recovery, for which the acceptance criterion is checked. */
export const usedShare = 0.9;
export const effectiveRecallMin = 0.99;

/** Prices for a cached prefix. The frontier does not depend on them. */
const cachedPrice = { cacheRead: 0.1, cacheWrite: 1.25, cachedTokensMin: 1024, output: 5 };

/** The figures for one setting, over all sessions. */
export interface Point {
  readonly setting: string;
  /** Billed cost relative to sending all tools, by model. */
  readonly cost: Readonly<Record<string, number>>;
  readonly tokens: number;
  readonly forwardedRecall: number;
  /** Keyed by the probability that the model uses recovery for a missing tool, independently each time. */
  readonly effectiveRecall: Readonly<Record<string, number>>;
  readonly roundsPerSession: number;
  readonly keptShare: number;
}

export interface ListReport {
  readonly tools: number;
  readonly sessions: number;
  readonly requestsPerSession: number;
  /** (b): the best K tools for each request. */
  readonly stateless: readonly Point[];
  /** (c), (d), (e): conversations by recovery mode, for each K. */
  readonly frontier: readonly Point[];
  /** The points for each recall target, under the prices of each model. */
  readonly priced: Readonly<Record<string, readonly Point[]>>;
  /** The points with the provider's own deferral, for models that have it. */
  readonly native: Readonly<Record<string, readonly Point[]>>;
}

export async function measureList(
  subjects: readonly ReplaySubject[],
  tools: number,
  models: readonly CatalogModel[],
): Promise<ListReport> {
  const all = await replayAll(subjects, (subject) => replayStateless(subject, null));
  const base = baseOf(all, models);
  const point = async (setting: string, replay: Replay): Promise<Point> =>
    summarize(setting, await replayAll(subjects, replay), base, models);
  const sizes = frontierK.filter((k) => k < tools);
  const stateless: Point[] = [];
  for (const k of sizes) stateless.push(await point(`K=${k}`, (each) => replayStateless(each, k)));
  const frontier: Point[] = [];
  for (const net of ['none', 'in_place', 'regrown'] as const)
    for (const k of sizes) {
      const settings = { net, kOverride: k, recallTarget: 0.95, price: cachedPrice };
      frontier.push(await point(`${net} K=${k}`, (each) => replaySession(each, settings)));
    }
  const priced: Record<string, Point[]> = {};
  for (const model of models) priced[nameOf(model)] = await measurePriced(model, point);
  const native: Record<string, Point[]> = {};
  for (const model of models)
    if (model.nativeSelection !== undefined) native[nameOf(model)] = await measureNative(model, sizes, point);
  const requests = subjects.reduce((sum, { session }) => sum + session.requests.length, 0);
  return {
    tools,
    sessions: subjects.length,
    requestsPerSession: round(requests / subjects.length),
    stateless,
    frontier,
    priced,
    native,
  };
}

type Replay = (subject: ReplaySubject) => Promise<ReplayOutcome>;

async function measurePriced(
  model: CatalogModel,
  point: (setting: string, replay: Replay) => Promise<Point>,
): Promise<Point[]> {
  const points: Point[] = [];
  for (const net of ['none', 'priced'] as const)
    for (const recallTarget of targets) {
      const settings: ReplaySettings = { net, kOverride: null, recallTarget, price: priceOf(model) };
      points.push(await point(`${net} target=${recallTarget}`, (each) => replaySession(each, settings)));
    }
  return points;
}

async function measureNative(
  model: CatalogModel,
  sizes: readonly number[],
  point: (setting: string, replay: Replay) => Promise<Point>,
): Promise<Point[]> {
  const way = model.nativeSelection;
  if (way === undefined) return [];
  const given = { way, recallTarget: 0.95, price: priceOf(model) };
  const points: Point[] = [];
  if (way === 'deferred_loading')
    points.push(
      await point('all deferred', (each) =>
        replayNative(each, { ...given, kOverride: null, defersAll: true }),
      ),
    );
  for (const kOverride of sizes)
    points.push(await point(`${way} K=${kOverride}`, (each) => replayNative(each, { ...given, kOverride })));
  for (const recallTarget of targets)
    points.push(
      await point(`${way} target=${recallTarget}`, (each) =>
        replayNative(each, { ...given, recallTarget, kOverride: null }),
      ),
    );
  return points;
}

async function replayAll(subjects: readonly ReplaySubject[], replay: Replay): Promise<ReplayOutcome[]> {
  const outcomes: ReplayOutcome[] = [];
  for (const subject of subjects) outcomes.push(await replay(subject));
  return outcomes;
}

export const nameOf = ({ provider, modelId }: CatalogModel): string => `${provider}/${modelId}`;

export function priceOf(model: CatalogModel): ReplaySettings['price'] {
  const { input = 1, output = 4 } = model.prices ?? {};
  const read = model.cache?.readMultiplier ?? null;
  return {
    cacheRead: read,
    cacheWrite: read === null ? null : (model.cache?.writeMultiplier ?? 1),
    cachedTokensMin: read === null ? 0 : (model.cache?.minTokens ?? 1024),
    output: output / input,
  };
}

/** The cost of sending all tools, by model and session. */
function baseOf(all: readonly ReplayOutcome[], models: readonly CatalogModel[]): Map<string, number> {
  return new Map(
    models.map((model) => [nameOf(model), sumOf(all, ({ calls }) => billSession(model, calls))]),
  );
}

function summarize(
  setting: string,
  outcomes: readonly ReplayOutcome[],
  base: ReadonlyMap<string, number>,
  models: readonly CatalogModel[],
): Point {
  const needs = sumOf(outcomes, (each) => each.needs);
  const forwarded = sumOf(outcomes, (each) => each.forwarded);
  const cost = models.map((model): [string, number] => {
    const billed = sumOf(outcomes, ({ calls }) => billSession(model, calls));
    return [nameOf(model), round(billed / (base.get(nameOf(model)) ?? 1))];
  });
  return {
    setting,
    cost: Object.fromEntries(cost),
    tokens: sumOf(outcomes, ({ calls }) => calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0)),
    forwardedRecall: round(forwarded / needs),
    effectiveRecall: Object.fromEntries(
      uses.map((use) => [use, round((forwarded + sumOf(outcomes, (each) => reached(each, use))) / needs)]),
    ),
    roundsPerSession: round(sumOf(outcomes, ({ rounds }) => rounds) / outcomes.length),
    keptShare: round(sumOf(outcomes, ({ kept }) => kept) / outcomes.length),
  };
}

/** The expected number of needs that recovery has met at one of the chances so far. */
function reached({ chances }: ReplayOutcome, use: number): number {
  return chances.reduce((sum, count) => sum + 1 - (1 - use) ** count, 0);
}

function sumOf(outcomes: readonly ReplayOutcome[], valueOf: (outcome: ReplayOutcome) => number): number {
  return outcomes.reduce((sum, outcome) => sum + valueOf(outcome), 0);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
