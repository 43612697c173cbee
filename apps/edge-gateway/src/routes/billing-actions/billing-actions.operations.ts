import {
  billing,
  billingCheckout,
  billingPortal,
  createCheckoutBody,
  customerPortalBody,
  syncCheckoutBody,
  syncSubscriptionBody,
} from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Billing';
const errors = ['billing_not_configured', 'payment_provider_error'] as const;

export const createCheckout: Operation = {
  id: 'createCheckout',
  tag,
  summary: 'Open a checkout',
  description:
    'Where the browser is sent to subscribe to a plan. A checkout of the account that is still open is closed. `success_url` may hold `{CHECKOUT_SESSION_ID}`, which becomes the session’s id, for `POST /v1/billing/sync-checkout`.',
  body: { schema: createCheckoutBody },
  answer: { status: 200, description: 'The page to go to.', schema: billingCheckout },
  errors: [...errors, 'already_subscribed'],
  creates: true,
};

export const openCustomerPortal: Operation = {
  id: 'openCustomerPortal',
  tag,
  summary: 'Open the customer portal',
  description:
    'Where the browser is sent to see invoices, and to change or end the subscription. For who has checked out once.',
  body: { schema: customerPortalBody },
  answer: { status: 200, description: 'The page to go to.', schema: billingPortal },
  errors: [...errors, 'not_found'],
};

export const syncCheckout: Operation = {
  id: 'syncCheckout',
  tag,
  summary: 'Take over a checkout',
  description:
    'What was just paid for holds at once, without waiting for Stripe’s event. Calling it again changes nothing, nor does it of a checkout that is not complete.',
  body: { schema: syncCheckoutBody },
  answer: { status: 200, description: 'The account’s billing after it.', schema: billing },
  errors: [...errors, 'not_found'],
};

export const syncSubscription: Operation = {
  id: 'syncSubscription',
  tag,
  summary: 'Take over the subscription',
  description:
    'Asks Stripe what the account is subscribed to now. Calling it again changes nothing. The body may be left out.',
  body: { schema: syncSubscriptionBody, optional: true },
  answer: { status: 200, description: 'The account’s billing after it.', schema: billing },
  errors,
};
