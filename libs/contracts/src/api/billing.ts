import { z } from 'zod';
import { count, timestamp } from '../base/common.ts';

/** Where a person comes back to from Stripe's pages. */
const returnUrl = z.url({ protocol: /^https?$/ }).max(2_048);
const planId = z.string().regex(/^[a-z0-9_-]{1,64}$/);

/** What an account pays for. */
export const billingPlan = z.object({
  id: planId,
  name: z.string(),
  /** For a whole period. */
  fee_usd: z.number().nonnegative(),
  /** Saved tokens of a period that cost nothing beyond the fee; null: all of them. */
  included_tokens_saved: count.nullable(),
  /** Of those beyond. */
  usd_per_million_tokens_saved: z.number().nonnegative(),
  /** Whether `POST /v1/billing/create-checkout` can subscribe to it. */
  can_subscribe: z.boolean(),
});
export type BillingPlan = z.infer<typeof billingPlan>;

/** A calendar month, UTC, and what was saved in it: sums of the ledger, which equal those of the request log. */
export const billingPeriod = z.object({
  /** Inclusive. */
  start: timestamp,
  /** Exclusive. */
  end: timestamp,
  /** Requests that saved something. */
  requests: count,
  estimated_tokens_saved: count,
  compression_tokens_saved: count,
  /** The sum of both, which is what is billed. */
  total_tokens_saved: count,
});
export type BillingPeriod = z.infer<typeof billingPeriod>;

/** As Stripe last told it. */
export const billingSubscription = z.object({
  /** Stripe's own word: `active`, `trialing`, `past_due`, `canceled`, … */
  status: z.string(),
  /** Null for a price that no plan of this gateway has. */
  plan_id: planId.nullable(),
  current_period_start: timestamp,
  current_period_end: timestamp,
  cancel_at_period_end: z.boolean(),
});
export type BillingSubscription = z.infer<typeof billingSubscription>;

export const billing = z.object({
  object: z.literal('billing'),
  /** `self_hosted`: nobody is charged, and the actions answer `billing_not_configured`. */
  mode: z.enum(['self_hosted', 'stripe']),
  plan: billingPlan,
  /** Null for who never subscribed. */
  subscription: billingSubscription.nullable(),
  /** The current period, until now. */
  period: billingPeriod,
  /** What the current period costs if nothing more is saved in it. */
  estimate: z.object({
    fee_usd: z.number().nonnegative(),
    /** Saved tokens beyond those included. */
    billable_tokens_saved: count,
    usage_usd: z.number().nonnegative(),
    total_usd: z.number().nonnegative(),
  }),
  /** The periods before, the latest first: those of the last 12 months in which something was saved. */
  history: z.array(billingPeriod),
  /** Those that can be had here. */
  plans: z.array(billingPlan),
});
export type Billing = z.infer<typeof billing>;

export const createCheckoutBody = z.strictObject({
  plan_id: planId,
  /** `{CHECKOUT_SESSION_ID}` in it becomes the session's id, for `POST /v1/billing/sync-checkout`. */
  success_url: returnUrl,
  cancel_url: returnUrl,
});
/** Where the browser is sent to pay. */
export const billingCheckout = z.object({
  object: z.literal('billing.checkout'),
  id: z.string(),
  url: z.url(),
});
export type BillingCheckout = z.infer<typeof billingCheckout>;

export const customerPortalBody = z.strictObject({ return_url: returnUrl });
/** Where the browser is sent to change or end a subscription. */
export const billingPortal = z.object({ object: z.literal('billing.portal'), url: z.url() });
export type BillingPortal = z.infer<typeof billingPortal>;

export const syncCheckoutBody = z.strictObject({ session_id: z.string().regex(/^cs_[A-Za-z0-9_]{1,250}$/) });
/** It has nothing to say. */
export const syncSubscriptionBody = z.strictObject({});

/** What Stripe is told of an event it sent. */
export const stripeEventReceipt = z.object({
  received: z.literal(true),
  /** The event came before, and changed nothing this time. */
  duplicate: z.boolean(),
});
export type StripeEventReceipt = z.infer<typeof stripeEventReceipt>;
