import { billingPlan, type BillingPlan } from '@gateway/contracts';
import { z } from 'zod';

const plan = z.strictObject({
  ...billingPlan.omit({ can_subscribe: true }).shape,
  /** The recurring price at Stripe that stands for the fee; without one nobody can subscribe to the plan. */
  stripe_price_id: z.string().min(1).max(255).nullable().default(null),
});
export type Plan = z.output<typeof plan>;

const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length;

/** The first is for who has no subscription. */
export const plans = z
  .tuple([plan], plan)
  .refine((all) => all.length <= 20, 'has more than 20 plans')
  .refine((all) => isUnique(all.map(({ id }) => id)), 'has two plans of one id')
  .refine(
    (all) => isUnique(all.flatMap(({ stripe_price_id }) => stripe_price_id ?? [])),
    'has two plans of one price',
  );
export type Plans = z.output<typeof plans>;
export const PLANS = Symbol('Plans');

/** Until the operator names others: nothing is charged. */
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

/** The plan of a gateway without Stripe. */
export const selfHostedPlan: Plan = { ...defaultPlans[0], id: 'self_hosted', name: 'Self-hosted' };

/** Subscriptions that are as good as paid. Stripe tries an overdue invoice again for a while before it ends one. */
const payingStatuses = ['active', 'trialing', 'past_due'];
export const isPaying = (status: string | null) => status !== null && payingStatuses.includes(status);

/** What a subscription of this status and price stands for, if anything. */
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

/** As callers see it. */
export function renderPlan({ stripe_price_id, ...plan }: Plan): BillingPlan {
  return { ...plan, can_subscribe: stripe_price_id !== null };
}
