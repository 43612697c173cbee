import type { Billing, BillingPeriod, BillingSubscription } from '@gateway/contracts';
import type { LedgerMonthRow, StripeCustomerRow } from '../persistence/billing-database.ts';
import type { Plan, Plans } from '../plans/plans.ts';
import { choosePlan, findByPrice, renderPlan, selfHostedPlan } from '../plans/plans.ts';
import type { BillingContext } from './customer.ts';

export async function describeBilling(
  context: BillingContext,
  { accountId }: { accountId: string },
): Promise<{ billing: Billing }> {
  return { billing: await readBilling(context, accountId) };
}

const historyMonths = 12;

/** The account's plan, its savings, and the amount charged for them. */
export async function readBilling(
  { database, plans, payments, now }: BillingContext,
  accountId: string,
): Promise<Billing> {
  const period = choosePeriod(now());
  const { ledgerMonth, stripeCustomer } = database.forAccount(accountId);
  const [months, customer] = await Promise.all([
    ledgerMonth.findMany({
      where: { month: { gte: chooseHistoryStart(period, historyMonths), lt: period.end } },
      orderBy: { month: 'desc' },
    }),
    payments === null ? null : stripeCustomer.findUnique({ where: { accountId } }),
  ]);
  const current = months.find(({ month }) => month.getTime() === period.start.getTime());
  const plan = payments === null ? selfHostedPlan : choosePlan(plans, customer);
  const renderedPeriod = renderPeriod(period, current);
  return {
    object: 'billing',
    mode: payments === null ? 'self_hosted' : 'stripe',
    plan: renderPlan(plan),
    subscription: customer && renderSubscription(plans, customer),
    period: renderedPeriod,
    estimate: estimatePeriod(plan, renderedPeriod.net_tokens_saved),
    history: months
      .filter((month) => month !== current)
      .map((month) => renderPeriod(choosePeriod(month.month), month)),
    plans: payments === null ? [] : plans.map(renderPlan),
  };
}

function renderPeriod({ start, end }: Period, sums: LedgerMonthRow | undefined): BillingPeriod {
  const estimated = Number(sums?.estimatedTokensSaved ?? 0);
  const compression = Number(sums?.compressionTokensSaved ?? 0);
  const recovery = Number(sums?.recoveryTokensDeducted ?? 0);
  return {
    start: start.toISOString(),
    end: end.toISOString(),
    requests: Number(sums?.requests ?? 0),
    estimated_tokens_saved: estimated,
    compression_tokens_saved: compression,
    total_tokens_saved: estimated + compression,
    recovery_tokens_deducted: recovery,
    net_tokens_saved: estimated + compression - recovery,
  };
}

function renderSubscription(plans: Plans, row: StripeCustomerRow): BillingSubscription | null {
  const { status, currentPeriodStart, currentPeriodEnd } = row;
  if (status === null || currentPeriodStart === null || currentPeriodEnd === null) return null;
  return {
    status,
    plan_id: findByPrice(plans, row.priceId)?.id ?? null,
    current_period_start: currentPeriodStart.toISOString(),
    current_period_end: currentPeriodEnd.toISOString(),
    cancel_at_period_end: row.cancelAtPeriodEnd,
  };
}

/**
 * A calendar month in UTC, from its first instant (inclusive) to the first instant of the next month
 * (exclusive).
 */
interface Period {
  readonly start: Date;
  readonly end: Date;
}

/** Returns the billing period that contains a given point in time. */
export function choosePeriod(at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** Returns the start of the month that is `months` months before a billing period. */
export function chooseHistoryStart({ start }: Period, months: number): Date {
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months));
}

const tokensPerUnit = 1_000_000;
/** Rounds an amount to one millionth of a dollar. */
const roundUsd = (usd: number) => Math.round(usd * 1e6) / 1e6;

/** Estimates the price of a billing period from the net number of saved tokens. */
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
