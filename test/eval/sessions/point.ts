import type { RoutingPolicy } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';
import type { Bill } from './bill.ts';
import type { ReplayOutcome, ReplaySettings, ReplaySubject } from './replay.ts';

/** The recall targets that are measured. */
export const targets = [0.9, 0.95, 0.99];

/** One setting's results over all sessions. Except for `callRecall`, recall is measured per conversation. */
export interface Point {
  readonly setting: string;
  /** The billed cost relative to the cost of sending all tools, by model. */
  readonly cost: Readonly<Record<string, number>>;
  /** The share of tool calls with a forwarded tool. */
  readonly callRecall: number;
  /** The share of conversations in which every needed tool was forwarded when the model first needed it. */
  readonly forwardedRecall: number;
  /**
   * The mean over conversations of ρ^m, where m is the number of missed tools and ρ is the policy's recovery
   * rate (`recoveryRate`). Without recovery, ρ is 0.
   */
  readonly effectiveRecall: number;
  readonly recoveryRate: number;
  /** Effective recall at each recovery rate in `comparedRates`, regardless of the policy's own rate. */
  readonly effectiveAt: Readonly<Record<string, number>>;
  /** The smallest recovery rate at which effective recall is 0.95. */
  readonly rateNeeded: number;
  readonly roundsPerSession: number;
  readonly keptShare: number;
  /** The parts of the bill relative to the cost of sending all tools, by model. */
  readonly bill: Readonly<Record<string, Bill>>;
}

/** The recovery rates at which effective recall is computed, which are the prior and two higher rates. */
export const comparedRates = [0.5, 0.75, 0.9] as const;

export type Replay = (subject: ReplaySubject) => Promise<ReplayOutcome>;
export type Measure = (setting: string, replay: Replay, policy?: RoutingPolicy | null) => Promise<Point>;

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
