import type { CatalogModel } from '@gateway/model-catalog';
import { billedInputUsd, withFront, type BilledTurn } from './billed-cost.ts';
import type { Replay } from './replay.ts';

/** The replays of all transcripts for one model. */
export interface ServedReplays {
  readonly model: CatalogModel;
  readonly replays: readonly Replay[];
}

/**
 * Metrics over all sent requests, including requests in which a declared clear shortens old tool results.
 * Ratios divide sent tokens or costs by received tokens or costs. Shares are fractions of 1. Declared clears
 * depend on the model, so each model has its own replays. Unless stated otherwise, a metric covers the replays
 * of all models.
 */
export interface Figures {
  readonly tokens_ratio: number;
  /** The highest value in `billed_cost_ratio_by_model`. */
  readonly billed_cost_ratio: number;
  readonly billed_cost_ratio_by_model: Readonly<Record<string, number>>;
  /** The highest cost ratio of any transcript for any model. */
  readonly billed_cost_ratio_worst_transcript: number;
  readonly observation_tokens_saved: number;
  readonly retention: number;
  readonly retention_or_recoverable: number;
  /** The share of turns with an unchanged prefix, among the turns without a declared clear. */
  readonly prefix_stability: number;
  /** The number of declared clears, summed over all models. */
  readonly declared_clears: number;
  readonly transcripts: number;
}

/**
 * Computes the metrics over all replays.
 * @param frontTokens number of cached tool and instruction tokens before the messages of each request
 */
export function measure(served: readonly ServedReplays[], frontTokens = 0): Figures {
  const costs = served.map(({ model, replays }) => costRatio(model, replays, frontTokens));
  const worst = served.flatMap(({ model, replays }) =>
    replays.map((replay) => costRatio(model, [replay], frontTokens)),
  );
  const replays = served.flatMap((list) => list.replays);
  const sum = (read: (replay: Replay) => number): number =>
    replays.reduce((total, replay) => total + read(replay), 0);
  const values = sum(({ retention }) => retention.values);
  const before = sum(({ observationTokens }) => observationTokens.before);
  const after = sum(({ observationTokens }) => observationTokens.after);
  const inFront = (turns: readonly BilledTurn[]): number => tokensIn(withFront(turns, frontTokens));
  const inContext = sum(({ retention }) => retention.inContext);
  const recoverable = sum(({ retention }) => retention.recoverable);
  const turnsWithoutClear = sum(({ turns, clears }) => turns - clears);
  return {
    tokens_ratio: ratio(
      sum(({ sent }) => inFront(sent)),
      sum(({ original }) => inFront(original)),
    ),
    billed_cost_ratio: Math.max(...costs),
    billed_cost_ratio_by_model: Object.fromEntries(
      served.map(({ model: { provider, modelId } }, at) => [`${provider}/${modelId}`, costs[at] ?? 1]),
    ),
    billed_cost_ratio_worst_transcript: Math.max(...worst),
    observation_tokens_saved: round(1 - ratio(after, before)),
    retention: ratio(inContext, values),
    retention_or_recoverable: ratio(recoverable, values),
    prefix_stability: ratio(
      sum(({ stableTurns }) => stableTurns),
      turnsWithoutClear,
    ),
    declared_clears: sum(({ clears }) => clears),
    transcripts: served[0]?.replays.length ?? 0,
  };
}

function costRatio(model: CatalogModel, replays: readonly Replay[], frontTokens: number): number {
  const usd = (which: 'sent' | 'original'): number =>
    replays.reduce((sum, replay) => sum + billedInputUsd(model, withFront(replay[which], frontTokens)), 0);
  return ratio(usd('sent'), usd('original'));
}

function tokensIn(turns: readonly BilledTurn[]): number {
  return turns.reduce((sum, { tokens }) => sum + tokens, 0);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : round(part / whole);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
