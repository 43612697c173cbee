import type { RequestEventV1 } from '@gateway/contracts';
import type { ChoiceReason, ComplexityLevel, RoutingChoice, RoutingMode } from '@gateway/model-routing';

/** How the model of a request was chosen, where the client left that to the gateway. */
export interface ModelChoice {
  readonly mode: RoutingMode;
  readonly reason: ChoiceReason;
  readonly level: ComplexityLevel;
  /** 0 to 1. */
  readonly complexity: number;
  readonly choice: RoutingChoice;
  /** Names the session, in what remembers its model. */
  readonly session: string;
  /** Turns that the session has had with this one. */
  readonly turns: number;
}

const candidatesMax = 16;
const excludedMax = 64;

/** As the log keeps it: the best sixteen, and whom which rule left out. */
export function renderModelChoice(chosen: ModelChoice): NonNullable<RequestEventV1['modelChoice']> {
  const { candidates, excluded } = chosen.choice;
  return {
    mode: chosen.mode,
    reason: chosen.reason,
    complexity: round(chosen.complexity),
    level: chosen.level,
    candidates: candidates.slice(0, candidatesMax).map(({ id, score, quality, costUsd }) => ({
      id,
      score: Number.isFinite(score) ? round(score) : null,
      quality: round(quality),
      costUsd: costUsd === null ? null : round(costUsd),
    })),
    candidatesCount: candidates.length,
    excluded: excluded.slice(0, excludedMax).map(({ id, rule }) => ({ id, rule })),
    excludedCount: excluded.length,
  };
}

function round(value: number): number {
  return Number(value.toPrecision(6));
}
