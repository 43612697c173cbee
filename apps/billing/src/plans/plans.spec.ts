import { estimatePeriod, chooseHistoryStart, choosePeriod } from '../billing/read-billing.ts';
import { choosePlan, renderPlan, selfHostedPlan, type Plan, type Plans } from './plans.ts';

const free: Plan = {
  id: 'free',
  name: 'Free',
  fee_usd: 0,
  included_tokens_saved: 1_000_000,
  usd_per_million_tokens_saved: 0,
  stripe_price_id: null,
};
const pro: Plan = {
  ...free,
  id: 'pro',
  fee_usd: 20,
  usd_per_million_tokens_saved: 0.5,
  stripe_price_id: 'price_pro',
};
const plans: Plans = [free, pro];

describe('a billing period', () => {
  test.each([
    ['2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ])('is the calendar month in UTC: %s belongs to %s – %s', (at, start, end) => {
    expect(choosePeriod(new Date(at))).toEqual({ start: new Date(start), end: new Date(end) });
  });

  test('lists earlier months even if the year changes', () => {
    const period = choosePeriod(new Date('2026-02-10T00:00:00Z'));
    expect(chooseHistoryStart(period, 12)).toEqual(new Date('2025-02-01T00:00:00Z'));
  });
});

describe('a price estimate', () => {
  test.each([
    [free, 5_000_000, { billable_tokens_saved: 4_000_000, usage_usd: 0, total_usd: 0 }],
    [pro, 0, { billable_tokens_saved: 0, usage_usd: 0, total_usd: 20 }],
    [pro, 1_000_000, { billable_tokens_saved: 0, usage_usd: 0, total_usd: 20 }],
    [pro, 1_000_001, { billable_tokens_saved: 1, usage_usd: 0.000001, total_usd: 20.000001 }],
    [pro, 3_500_000, { billable_tokens_saved: 2_500_000, usage_usd: 1.25, total_usd: 21.25 }],
    [selfHostedPlan, 9e15, { billable_tokens_saved: 0, usage_usd: 0, total_usd: 0 }],
  ])('for %j and %i saved tokens is correct', (plan, saved, expected) => {
    expect(estimatePeriod(plan, saved)).toEqual({ fee_usd: plan.fee_usd, ...expected });
  });
});

describe('the billing plan for a subscription', () => {
  test.each([
    [null, 'free'],
    [{ status: null, priceId: null }, 'free'],
    [{ status: 'active', priceId: 'price_pro' }, 'pro'],
    [{ status: 'trialing', priceId: 'price_pro' }, 'pro'],
    [{ status: 'past_due', priceId: 'price_pro' }, 'pro'],
    [{ status: 'canceled', priceId: 'price_pro' }, 'free'],
    [{ status: 'incomplete', priceId: 'price_pro' }, 'free'],
    [{ status: 'unpaid', priceId: 'price_pro' }, 'free'],
    [{ status: 'active', priceId: 'price_of_another_product' }, 'free'],
  ])('is chosen by status and price: %j gives %s', (subscription, id) => {
    expect(choosePlan(plans, subscription).id).toBe(id);
  });

  test('does not reveal the Stripe price in API responses', () => {
    expect(renderPlan(pro)).not.toHaveProperty('stripe_price_id');
    expect([renderPlan(free).can_subscribe, renderPlan(pro).can_subscribe]).toEqual([false, true]);
  });
});
