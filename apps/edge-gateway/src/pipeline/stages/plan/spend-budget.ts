import { plannedSavings } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { SavedTokenBudgets } from '../../../budgets/saved-token-budgets.ts';
import type { Caller } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { countReaching, identityPlan, type ToolPlan } from '../../exchange/tool-plan.ts';

interface BudgetServices {
  readonly budgets: SavedTokenBudgets;
}

/**
 * Returns whether the request can be sent without planning. Planning is skipped if the budget is exhausted and the
 * account's settings allow requests without savings.
 */
export function isBudgetExhausted(caller: Caller, { budgets }: BudgetServices): boolean {
  return caller.onBudgetExhausted === 'pass' && budgets.isExhausted(caller);
}

/**
 * Reserves the planned savings from the key's budget until the request ends. A plan without savings reserves no
 * tokens. If the remaining budget is unknown, the request is sent unchanged. If the budget is exhausted, the
 * request is sent unchanged. If the account's settings require rejection, the request is rejected with
 * `saved_token_budget_exhausted`.
 */
export async function spendBudget(
  planned: ToolPlan,
  exchange: Exchange,
  caller: Caller,
  { budgets }: BudgetServices,
): Promise<ToolPlan> {
  const tokens = tokensToSave(planned);
  if (tokens === 0) return planned;
  const reserved = budgets.reserve(caller, tokens);
  // Most reservations succeed without waiting.
  // This process usually has enough tokens reserved in advance.
  const answer = reserved instanceof Promise ? await reserved : reserved;
  if (typeof answer === 'object') {
    exchange.reservation = answer;
    return planned;
  }
  if (answer === 'exhausted' && caller.onBudgetExhausted === 'reject')
    throw explainExhausted(caller, budgets);
  return passUnoptimized(planned.eligible, answer, exchange);
}

/** Names the exhausted budget, its limit, the time of its reset, and the field that raises the limit. */
function explainExhausted(caller: Caller, budgets: SavedTokenBudgets): GatewayError {
  const { period, tokens, resetsAt } = budgets.describeExhausted(caller);
  const limit = tokens.toLocaleString('en-US');
  const reset = new Date(resetsAt).toISOString().replace('.000Z', 'Z');
  return new GatewayError('saved_token_budget_exhausted', {
    message: `The API key has used up its ${period} budget of ${limit} saved tokens. The budget resets at ${reset}. Raise ${period}_token_budget of the key, or wait.`,
  });
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
  const toolsOut = countReaching(planned);
  return plannedSavings({ toolsIn: eligible.length, toolsOut, compressionSteps }).net;
}
