import type { CatalogModel } from '@gateway/model-catalog';
import { billedInputUsd, type BilledTurn } from './billed-cost.ts';
import type { Replay } from './replay.ts';

/** Ratios are sent tokens divided by received tokens. Shares are fractions of 1. */
export interface Figures {
  readonly tokens_ratio: number;
  /** The worst ratio in `billed_cost_ratio_by_model`. */
  readonly billed_cost_ratio: number;
  readonly billed_cost_ratio_by_model: Readonly<Record<string, number>>;
  /** The worst ratio for a single transcript under any of the models. */
  readonly billed_cost_ratio_worst_transcript: number;
  readonly observation_tokens_saved: number;
  readonly retention: number;
  readonly retention_or_recoverable: number;
  /** Counted over the turns without a declared clear. */
  readonly prefix_stability: number;
  readonly declared_clears: number;
  readonly transcripts: number;
}

export function measure(replays: readonly Replay[], models: readonly CatalogModel[]): Figures {
  const sum = (read: (replay: Replay) => number): number =>
    replays.reduce((total, replay) => total + read(replay), 0);
  const costs = models.map((model) => ratio(sum(costOf(model, 'sent')), sum(costOf(model, 'original'))));
  const worst = models.flatMap((model) =>
    replays.map((replay) => ratio(costOf(model, 'sent')(replay), costOf(model, 'original')(replay))),
  );
  const values = sum(({ retention }) => retention.values);
  const before = sum(({ observationTokens }) => observationTokens.before);
  return {
    tokens_ratio: ratio(
      sum(({ sent }) => tokensIn(sent)),
      sum(({ original }) => tokensIn(original)),
    ),
    billed_cost_ratio: Math.max(...costs),
    billed_cost_ratio_by_model: Object.fromEntries(
      models.map(({ provider, modelId }, at) => [`${provider}/${modelId}`, costs[at] ?? 1]),
    ),
    billed_cost_ratio_worst_transcript: Math.max(...worst),
    observation_tokens_saved: round(1 - sum(({ observationTokens }) => observationTokens.after) / before),
    retention: ratio(
      sum(({ retention }) => retention.inContext),
      values,
    ),
    retention_or_recoverable: ratio(
      sum(({ retention }) => retention.recoverable),
      values,
    ),
    prefix_stability: ratio(
      sum(({ stableTurns }) => stableTurns),
      sum(({ turns, clears }) => turns - clears),
    ),
    declared_clears: sum(({ clears }) => clears),
    transcripts: replays.length,
  };
}

function costOf(model: CatalogModel, which: 'sent' | 'original'): (replay: Replay) => number {
  return (replay) => billedInputUsd(model, replay[which]);
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
