import type { RequestEventV1 } from '@gateway/contracts';
import type { Attributes } from '@gateway/observability';
import type { ChoiceReason, ComplexityLevel, RoutingChoice, RoutingMode } from '@gateway/model-routing';

/** The model that the gateway chose for an automatically routed request. */
export interface ModelChoice {
  readonly mode: RoutingMode;
  readonly reason: ChoiceReason;
  readonly level: ComplexityLevel;
  /** The complexity score of the conversation's first task, from 0 to 1. */
  readonly complexity: number;
  readonly choice: RoutingChoice;
  /** The conversation key under which the chosen model is remembered. */
  readonly conversation: string;
  /** Number of turns in the conversation, including the current turn. */
  readonly turns: number;
}

const candidatesMax = 16;
const excludedMax = 64;

/**
 * Renders the model choice for the request log. The rendered choice contains the best sixteen candidates, and each
 * excluded model with the rule that excludes it.
 */
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

/** Renders the model choice for the request's trace span. Candidates and rules are rendered as names and numbers. */
export function renderChoiceAttributes({ mode, reason, level, complexity, choice }: ModelChoice): Attributes {
  const { candidates, excluded } = choice;
  return {
    'gateway.model_choice.mode': mode,
    'gateway.model_choice.reason': reason,
    'gateway.model_choice.level': level,
    'gateway.model_choice.complexity': round(complexity),
    'gateway.model_choice.candidates': candidates.slice(0, candidatesTold).map(({ id }) => id),
    'gateway.model_choice.candidates_count': candidates.length,
    'gateway.model_choice.excluded': excluded.slice(0, excludedTold).map(({ id, rule }) => `${id}: ${rule}`),
    'gateway.model_choice.excluded_count': excluded.length,
  };
}

/**
 * Maximum number of candidate models in a trace span. The request log lists more candidates than the trace
 * span.
 */
const candidatesTold = 5;
const excludedTold = 16;

function round(value: number): number {
  return Number(value.toPrecision(6));
}
