import type { Billing } from '@gateway/contracts';
import type { Plan } from './plans.ts';

/** A calendar month, UTC: from its first instant (inclusive) to the next month's (exclusive). */
export interface Period {
  readonly start: Date;
  readonly end: Date;
}

/** The billing period of an instant. */
export function choosePeriod(at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** The first instant of the month so many months before a period. */
export function chooseHistoryStart({ start }: Period, months: number): Date {
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months));
}

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
