import { decideBucket, type RoutingPolicy } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';
import { lossOf } from '../../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import { billSession, splitBill, type Bill } from './bill.ts';
import { makePolicy } from './make-policy.ts';
import { isBound, measureBound } from './measure-bound.ts';
import { comparedRates, nameOf, priceOf, targets, type Measure, type Point, type Replay } from './point.ts';
import { compressResults, resize, type PromptSize } from './prompt-sizes.ts';
import { replayNative } from './replay-native.ts';
import type { ReplayOutcome, ReplaySettings, ReplaySubject } from './replay.ts';
import { replaySession, replayStateless } from './replay-session.ts';

/** The values of K that are measured, from 5 up to the number of all tools. */
const frontierK = [5, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/** Prompt cache prices, as fractions of the input price. The results for a fixed K do not depend on these prices. */
const cachedPrice = { cacheRead: 0.1, cacheWrite: 1.25, cachedTokensMin: 1024, output: 5 };

export interface ListReport {
  readonly tools: number;
  /** The lengths of the prompt's instructions and tool results. */
  readonly prompt: PromptSize;
  readonly sessions: number;
  readonly requestsPerSession: number;
  /** The costs and recall of the method that sends each request with its K best tools. */
  readonly stateless: readonly Point[];
  /** The costs and recall of each recovery mode and K, if every conversation keeps its tool set. */
  readonly frontier: readonly Point[];
  /** The costs and recall for each recall target, with the prices of each model. */
  readonly priced: Readonly<Record<string, readonly Point[]>>;
  /** The costs and recall with the provider's own deferral, for models that support deferral. */
  readonly native: Readonly<Record<string, readonly Point[]>>;
  /**
   * The costs and recall for each model with bound reasoning. In these replays, the gateway compresses tool
   * results on arrival. The first point is the baseline, in which every request is sent unchanged.
   */
  readonly bound: Readonly<Record<string, readonly Point[]>>;
  /** The token count of compressed tool results, divided by their original token count. */
  readonly resultShare: number;
}

/**
 * Measures the conversations with one length of tool lists and prompts.
 * @param unsized the reported conversations, and other conversations from which policies for models with bound
 * reasoning are computed
 */
export async function measureList(
  unsized: { readonly reported: readonly ReplaySubject[]; readonly choosers: readonly ReplaySubject[] },
  { tools, prompt }: Pick<ListReport, 'tools' | 'prompt'>,
  models: readonly CatalogModel[],
  resultShare: number,
): Promise<ListReport> {
  const subjects = unsized.reported.map((subject) => resize(subject, prompt));
  const base = baseOf(await replayAll(subjects, (subject) => replayStateless(subject, null)), models);
  const point: Measure = async (setting, replay, policy = null) =>
    summarize(setting, await replayAll(subjects, replay), { base, models, policy, tools });
  const binding = models.filter(isBound);
  const unbound = models.filter((model) => !isBound(model));
  const sizes = unbound.length === 0 ? [] : frontierK.filter((k) => k < tools);
  const stateless: Point[] = [];
  for (const k of sizes) stateless.push(await point(`K=${k}`, (each) => replayStateless(each, k)));
  const frontier: Point[] = [];
  for (const net of ['none', 'in_place', 'regrown'] as const)
    for (const k of sizes) {
      const settings = { net, kOverride: k, recallTarget: 0.95, price: cachedPrice };
      frontier.push(await point(`${net} K=${k}`, (each) => replaySession(each, settings)));
    }
  const priced: Record<string, Point[]> = {};
  for (const model of unbound) priced[nameOf(model)] = await measurePriced(model, subjects, point);
  const native: Record<string, Point[]> = {};
  for (const model of unbound)
    if (model.nativeSelection !== undefined) native[nameOf(model)] = await measureNative(model, sizes, point);
  const bound: Record<string, readonly Point[]> = {};
  const compressed = subjects.map((subject) => compressResults(subject, resultShare));
  const all = unsized.choosers.map((subject) => compressResults(resize(subject, prompt), resultShare));
  const choosers = { few: drawFew(all, subjects.length), all };
  const pointBound: Measure = async (setting, replay, policy = null) =>
    summarize(setting, await replayAll(compressed, replay), { base, models, policy, tools });
  for (const model of binding) {
    const unchanged = await point('unchanged', (each) => replayStateless(each, null));
    const points = await measureBound(model, { choosers, tools }, pointBound);
    bound[nameOf(model)] = [unchanged, ...points];
  }
  const requests = subjects.reduce((sum, { session }) => sum + session.requests.length, 0);
  return {
    ...{ tools, prompt },
    sessions: subjects.length,
    requestsPerSession: round(requests / subjects.length),
    stateless,
    frontier,
    priced,
    native,
    bound,
    resultShare: round(resultShare),
  };
}

/** Returns `count` conversations, with equal numbers from each source. */
function drawFew(subjects: readonly ReplaySubject[], count: number): ReplaySubject[] {
  const bySource = [...Map.groupBy(subjects, ({ session }) => session.source).values()];
  return bySource.flatMap((each) => each.slice(0, Math.ceil(count / bySource.length)));
}

/**
 * Computes the cost and recall of two accounts. A new account uses the shipped priors, once with recovery and
 * once without. The other account uses the policy that the worker computes from the measured conversations.
 */
async function measurePriced(
  model: CatalogModel,
  subjects: readonly ReplaySubject[],
  point: Measure,
): Promise<Point[]> {
  const points: Point[] = [];
  const price = priceOf(model);
  for (const net of ['none', 'priced'] as const)
    for (const recallTarget of targets) {
      const settings: ReplaySettings = { net, kOverride: null, recallTarget, price };
      points.push(await point(`${net} target=${recallTarget}`, (each) => replaySession(each, settings)));
    }
  for (const recallTarget of targets) {
    const policy = await makePolicy(subjects, { recallTarget, price });
    const settings: ReplaySettings = { net: 'priced', kOverride: null, recallTarget, price, policy };
    const setting = `calibrated target=${recallTarget}`;
    points.push(await point(setting, (each) => replaySession(each, settings), policy));
  }
  return points;
}

async function measureNative(
  model: CatalogModel,
  sizes: readonly number[],
  point: Measure,
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

/** Returns the cost of sending all tools, summed over all sessions, per model. */
function baseOf(all: readonly ReplayOutcome[], models: readonly CatalogModel[]): Map<string, number> {
  return new Map(
    models.map((model) => [nameOf(model), sumOf(all, ({ calls }) => billSession(model, calls))]),
  );
}

interface SummaryContext {
  readonly base: ReadonlyMap<string, number>;
  readonly models: readonly CatalogModel[];
  readonly policy: RoutingPolicy | null;
  readonly tools: number;
}

function summarize(
  setting: string,
  outcomes: readonly ReplayOutcome[],
  { base, models, policy, tools }: SummaryContext,
): Point {
  const needs = sumOf(outcomes, (each) => each.needs);
  const cost = models.map((model): [string, number] => {
    const billed = sumOf(outcomes, ({ calls }) => billSession(model, calls));
    return [nameOf(model), round(billed / (base.get(nameOf(model)) ?? 1))];
  });
  const rateOf = ({ bucket }: ReplayOutcome): number =>
    decideBucket(policy, { intent: bucket.split(':')[0] ?? '', tools }).recoveryRate;
  const bill = models.map((model): [string, Bill] => {
    const parts = outcomes.map(({ calls }) => splitBill(model, calls));
    const shareOf = (part: keyof Bill): number =>
      round(parts.reduce((sum, each) => sum + each[part], 0) / (base.get(nameOf(model)) ?? 1));
    return [
      nameOf(model),
      {
        ...{ tools: shareOf('tools'), instructions: shareOf('instructions') },
        ...{ messages: shareOf('messages'), output: shareOf('output'), searches: shareOf('searches') },
      },
    ];
  });
  const mean = (valueOf: (outcome: ReplayOutcome) => number): number =>
    round(sumOf(outcomes, valueOf) / outcomes.length);
  const effectiveWith = (rate: number): number =>
    mean((each) => 1 - lossOf(each.missed.length, each.isArmed ? rate : 0));
  const rates = Array.from({ length: 101 }, (_, at) => at / 100);
  return {
    setting,
    cost: Object.fromEntries(cost),
    callRecall: round(sumOf(outcomes, (each) => each.forwarded) / needs),
    forwardedRecall: mean(({ missed }) => (missed.length === 0 ? 1 : 0)),
    effectiveRecall: mean((each) => 1 - lossOf(each.missed.length, each.isArmed ? rateOf(each) : 0)),
    recoveryRate: mean(rateOf),
    effectiveAt: Object.fromEntries(comparedRates.map((rate) => [String(rate), effectiveWith(rate)])),
    rateNeeded: rates.find((rate) => effectiveWith(rate) >= 0.95) ?? 1,
    roundsPerSession: mean(({ rounds }) => rounds),
    keptShare: mean(({ kept }) => kept),
    bill: Object.fromEntries(bill),
  };
}

function sumOf(outcomes: readonly ReplayOutcome[], valueOf: (outcome: ReplayOutcome) => number): number {
  return outcomes.reduce((sum, outcome) => sum + valueOf(outcome), 0);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
