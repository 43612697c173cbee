import { billingPlan, type BillingPlan } from '@gateway/contracts';
import { z } from 'zod';

const plan = z.strictObject({
  ...billingPlan.omit({ can_subscribe: true }).shape,
  /**
   * The recurring Stripe price for the plan's fee. Null for a plan to which accounts cannot
   * subscribe.
   */
  stripe_price_id: z.string().min(1).max(255).nullable().default(null),
});
export type Plan = z.output<typeof plan>;

const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length;

/** The billing plans. The first plan applies to accounts without a subscription. */
export const plans = z
  .tuple([plan], plan)
  .refine((all) => all.length <= 20, 'has more than 20 plans')
  .refine((all) => isUnique(all.map(({ id }) => id)), 'has two plans with the same id')
  .refine(
    (all) => isUnique(all.flatMap(({ stripe_price_id }) => stripe_price_id ?? [])),
    'has two plans with the same price',
  );
export type Plans = z.output<typeof plans>;
export const PLANS = Symbol('Plans');

/** The default billing plan is free of charge. */
export const defaultPlans: Plans = [
  {
    id: 'free',
    name: 'Free',
    fee_usd: 0,
    included_tokens_saved: null,
    usd_per_million_tokens_saved: 0,
    stripe_price_id: null,
  },
];

/** The billing plan that applies if the gateway runs without Stripe. */
export const selfHostedPlan: Plan = { ...defaultPlans[0], id: 'self_hosted', name: 'Self-hosted' };

/**
 * Subscription statuses that count as paid. Stripe retries an overdue invoice for some time before it ends
 * the subscription.
 */
const payingStatuses = ['active', 'trialing', 'past_due'];
export const isPaying = (status: string | null) => status !== null && payingStatuses.includes(status);

/**
 * Chooses the billing plan for a subscription. An account without a paid subscription to a known price gets the
 * first plan.
 */
export function choosePlan(
  all: Plans,
  subscription: { readonly status: string | null; readonly priceId: string | null } | null,
): Plan {
  if (subscription === null || !isPaying(subscription.status)) return all[0];
  return findByPrice(all, subscription.priceId) ?? all[0];
}

export function findByPrice(all: Plans, priceId: string | null): Plan | undefined {
  return priceId === null ? undefined : all.find(({ stripe_price_id }) => stripe_price_id === priceId);
}

/** Renders a billing plan for API responses. */
export function renderPlan({ stripe_price_id, ...plan }: Plan): BillingPlan {
  return { ...plan, can_subscribe: stripe_price_id !== null };
}
