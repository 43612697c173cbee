import type { Billing } from '@gateway/contracts';
import type { Plan } from './plans.ts';

/**
 * A calendar month in UTC, from its first instant (inclusive) to the first instant of the next month
 * (exclusive).
 */
export interface Period {
  readonly start: Date;
  readonly end: Date;
}

/** Returns the billing period that contains an instant. */
export function choosePeriod(at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** Returns the start of the month that is `months` before a period. */
export function chooseHistoryStart({ start }: Period, months: number): Date {
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months));
}

const tokensPerUnit = 1_000_000;
/** Rounds to a millionth of a dollar. */
const roundUsd = (usd: number) => Math.round(usd * 1e6) / 1e6;

/** Estimates the price for a billing period from the net saved tokens. */
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
