import type { Billing } from '@gateway/contracts';
import type { Plan } from './plans.ts';

const tokensPerUnit = 1_000_000;
/** Money is shown to a millionth of a dollar. */
const roundUsd = (usd: number) => Math.round(usd * 1e6) / 1e6;

/** What a period costs under a plan in which so many tokens were saved. */
export function estimatePeriod(
  plan: Pick<Plan, 'fee_usd' | 'included_tokens_saved' | 'usd_per_million_tokens_saved'>,
  tokensSaved: number,
): Billing['estimate'] {
  const included = plan.included_tokens_saved ?? Infinity;
  const billable = Math.max(0, tokensSaved - included);
  const usageUsd = roundUsd((billable / tokensPerUnit) * plan.usd_per_million_tokens_saved);
  return {
    fee_usd: plan.fee_usd,
    billable_tokens_saved: billable,
    usage_usd: usageUsd,
    total_usd: roundUsd(plan.fee_usd + usageUsd),
  };
}
