import type { Billing, BillingPeriod, BillingSubscription } from '@gateway/contracts';
import type { LedgerMonthRow, StripeCustomerRow } from '../persistence/billing-database.ts';
import { chooseHistoryStart, choosePeriod, estimatePeriod, type Period } from '../plans/billing-period.ts';
import { choosePlan, findByPrice, renderPlan, selfHostedPlan, type Plans } from '../plans/plans.ts';
import type { BillingContext } from './customer.ts';

export async function describeBilling(
  context: BillingContext,
  { accountId }: { accountId: string },
): Promise<{ billing: Billing }> {
  return { billing: await readBilling(context, accountId) };
}

const historyMonths = 12;

/** The account's plan, its savings, and the price charged for them. */
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
