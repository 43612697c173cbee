import {
  billing,
  billingCheckout,
  billingPortal,
  createCheckoutBody,
  customerPortalBody,
  stripeEventReceipt,
  syncCheckoutBody,
  syncSubscriptionBody,
} from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Billing';
const errors = ['billing_not_configured', 'payment_provider_error'] as const;

export const getBilling: Operation = {
  id: 'getBilling',
  tag,
  summary: 'Get the billing estimate',
  description:
    'The account’s plan, its savings in the current billing period (the calendar month in UTC), the resulting charge, and the previous months. `total_tokens_saved` is the sum of `estimated_tokens_saved` and `compression_tokens_saved`. Requests are counted shortly after they appear in the request log. Without a Stripe key the plan is `self_hosted`, and nobody is charged.',
  answer: { status: 200, description: 'Plan, period and estimate.', schema: billing },
};

export const createCheckout: Operation = {
  id: 'createCheckout',
  tag,
  summary: 'Open a checkout',
  description:
    'Returns the page where the user subscribes to a plan. An open checkout of the account is closed. `success_url` may contain `{CHECKOUT_SESSION_ID}`. It is replaced with the id of the checkout session, for `POST /v1/billing/sync-checkout`.',
  body: { schema: createCheckoutBody },
  answer: { status: 200, description: 'The page to open.', schema: billingCheckout },
  errors: [...errors, 'already_subscribed'],
  creates: true,
};

export const openCustomerPortal: Operation = {
  id: 'openCustomerPortal',
  tag,
  summary: 'Open the customer portal',
  description:
    'Returns the page where the user sees invoices and changes or cancels the subscription. The account must have completed a checkout before.',
  body: { schema: customerPortalBody },
  answer: { status: 200, description: 'The page to open.', schema: billingPortal },
  errors: [...errors, 'not_found'],
};

export const syncCheckout: Operation = {
  id: 'syncCheckout',
  tag,
  summary: 'Apply a completed checkout',
  description:
    'Applies a paid checkout immediately instead of waiting for Stripe’s event. Repeated calls and calls for an incomplete checkout change nothing.',
  body: { schema: syncCheckoutBody },
  answer: { status: 200, description: 'The account’s billing after the change.', schema: billing },
  errors: [...errors, 'not_found'],
};

export const syncSubscription: Operation = {
  id: 'syncSubscription',
  tag,
  summary: 'Synchronize the subscription',
  description:
    'Reads the account’s current subscription from Stripe. Repeated calls change nothing. The body is optional.',
  body: { schema: syncSubscriptionBody, optional: true },
  answer: { status: 200, description: 'The account’s billing after the change.', schema: billing },
  errors,
};

export const receiveStripeEvent: Operation = {
  id: 'receiveStripeEvent',
  tag,
  summary: 'Receive an event from Stripe',
  description:
    'The webhook address for Stripe only. The signature is checked over the exact bytes of the body. A signature older than five minutes, or one that was used before, is rejected. An event that is sent again with a new signature changes nothing.',
  headers: z.object({ 'stripe-signature': z.string() }),
  body: { schema: z.looseObject({ id: z.string(), type: z.string() }) },
  answer: { status: 200, description: 'The event is processed.', schema: stripeEventReceipt },
  errors: ['invalid_webhook_signature', 'billing_not_configured', 'payment_provider_error'],
};
