import { plannedSavings } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { SavedTokenBudgets } from '../../../budgets/saved-token-budgets.ts';
import type { Caller } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { listSent, identityPlan, type ToolPlan } from '../../exchange/tool-plan.ts';

interface BudgetServices {
  readonly budgets: SavedTokenBudgets;
}

/** Whether planning would be for nothing: the budget is known to be used up, and the request goes out all the same. */
export function isBudgetExhausted(caller: Caller, { budgets }: BudgetServices): boolean {
  return caller.onBudgetExhausted === 'pass' && budgets.isExhausted(caller);
}

/**
 * Holds what a plan saves of the key's budget, until the request has ended. A plan that saves nothing needs none. Without
 * room the request goes out as it came, or throws `saved_token_budget_exhausted` where the account chose so; while
 * nobody knows the budget it goes out as it came, whatever the account chose.
 */
export async function spendBudget(
  planned: ToolPlan,
  exchange: Exchange,
  caller: Caller,
  { budgets }: BudgetServices,
): Promise<ToolPlan> {
  const tokens = tokensToSave(planned);
  if (tokens === 0) return planned;
  const asked = budgets.reserve(caller, tokens);
  // Most requests find room that this process holds already: they go on within the same turn of the event loop.
  const answer = asked instanceof Promise ? await asked : asked;
  if (typeof answer === 'object') {
    exchange.reservation = answer;
    return planned;
  }
  if (answer === 'exhausted' && caller.onBudgetExhausted === 'reject')
    throw new GatewayError('saved_token_budget_exhausted');
  return passUnoptimized(planned.eligible, answer, exchange);
}

export function passUnoptimized(
  eligible: readonly number[],
  state: 'exhausted' | 'unknown',
  exchange: Exchange,
): ToolPlan {
  exchange.headers['x-svc-budget'] = state;
  return identityPlan(eligible, state === 'exhausted' ? 'budget_exhausted' : 'budget_unknown');
}

function tokensToSave(planned: ToolPlan): number {
  const { eligible, schemaEdits, context } = planned;
  const compressionSteps = [...[...schemaEdits.values()].flatMap(({ steps }) => steps), ...context.steps];
  const saved = plannedSavings({
    toolsIn: eligible.length,
    toolsOut: listSent(planned).length,
    compressionSteps,
  });
  return saved.tools + saved.compression;
}
