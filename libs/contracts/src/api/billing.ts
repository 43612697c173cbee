import { z } from 'zod';
import { count, timestamp } from '../base/common.ts';
import { billedSavings } from './request-log.ts';

/** The page to which Stripe redirects the browser. */
const returnUrl = z.url({ protocol: /^https?$/ }).max(2_048);
const planId = z.string().regex(/^[a-z0-9_-]{1,64}$/);

/** A billing plan that an account can have. */
export const billingPlan = z.object({
  id: planId,
  name: z.string(),
  /** Fee per billing period, in USD. */
  fee_usd: z.number().nonnegative(),
  /** Net saved tokens that the fee includes, per billing period. Null means unlimited. */
  included_tokens_saved: count.nullable(),
  /** Price per million net saved tokens above the included amount, in USD. */
  usd_per_million_tokens_saved: z.number().nonnegative(),
  /** Whether `POST /v1/billing/create-checkout` accepts this billing plan. */
  can_subscribe: z.boolean(),
});
export type BillingPlan = z.infer<typeof billingPlan>;

/** Savings for one calendar month (UTC). The figures are ledger totals and match the request log. */
export const billingPeriod = z.object({
  /** Start of the month. */
  start: timestamp,
  /** Start of the next month. */
  end: timestamp,
  requests: count.meta({ description: 'Requests that saved tokens.', examples: [233] }),
  ...billedSavings(count),
  total_tokens_saved: count.meta({
    description: 'Savings in the billing unit (`estimated_tokens_saved` + `compression_tokens_saved`).',
    examples: [1_119_210],
  }),
});
export type BillingPeriod = z.infer<typeof billingPeriod>;

/** The subscription, as last reported by Stripe. */
export const billingSubscription = z.object({
  /** Stripe's status for the subscription, such as `active`, `trialing`, `past_due` or `canceled`. */
  status: z.string(),
  /** The billing plan. Null if Stripe's price matches none of this gateway's billing plans. */
  plan_id: planId.nullable(),
  current_period_start: timestamp,
  current_period_end: timestamp,
  cancel_at_period_end: z.boolean(),
});
export type BillingSubscription = z.infer<typeof billingSubscription>;

export const billing = z.object({
  object: z.literal('billing'),
  /**
   * In the mode `self_hosted`, the account is not charged, and the billing actions return `billing_not_configured`.
   */
  mode: z.enum(['self_hosted', 'stripe']),
  plan: billingPlan,
  /** The account's subscription. Null if the account has never subscribed. */
  subscription: billingSubscription.nullable(),
  /** The elapsed part of the current billing period. */
  period: billingPeriod,
  /** The cost of the current period if no more tokens are saved in the period. */
  estimate: z.object({
    fee_usd: z.number().nonnegative(),
    /** Net saved tokens above the amount that the fee includes. */
    billable_tokens_saved: count,
    usage_usd: z.number().nonnegative(),
    total_usd: z.number().nonnegative(),
  }),
  /** Earlier billing periods with savings in the last 12 months, newest first. */
  history: z.array(billingPeriod),
  /** The billing plans that this gateway offers. */
  plans: z.array(billingPlan),
});
export type Billing = z.infer<typeof billing>;

export const createCheckoutBody = z.strictObject({
  plan_id: planId,
  /**
   * The URL to which Stripe redirects after payment. Stripe replaces `{CHECKOUT_SESSION_ID}` in the URL with
   * the checkout id. Send the checkout id to `POST /v1/billing/sync-checkout`.
   */
  success_url: returnUrl,
  cancel_url: returnUrl,
});
/** URL of Stripe's payment page. */
export const billingCheckout = z.object({
  object: z.literal('billing.checkout'),
  id: z.string(),
  url: z.url(),
});
export type BillingCheckout = z.infer<typeof billingCheckout>;

export const customerPortalBody = z.strictObject({ return_url: returnUrl });
/** URL of the Stripe page where the user changes or cancels a subscription. */
export const billingPortal = z.object({ object: z.literal('billing.portal'), url: z.url() });
export type BillingPortal = z.infer<typeof billingPortal>;

export const syncCheckoutBody = z.strictObject({
  session_id: z
    .string()
    .regex(/^cs_[A-Za-z0-9_]{1,250}$/)
    .meta({ description: 'The id of the Stripe checkout.', examples: ['cs_test_0123456789'] }),
});
/** The empty body of a request that has no fields. */
export const syncSubscriptionBody = z.strictObject({});

/** The response to a Stripe webhook event. */
export const stripeEventReceipt = z.object({
  received: z.literal(true),
  /** Whether the webhook event was already processed. A duplicate webhook event changes nothing. */
  duplicate: z.boolean(),
});
export type StripeEventReceipt = z.infer<typeof stripeEventReceipt>;
