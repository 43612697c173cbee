import { z } from 'zod';
import {
  billing,
  billingCheckout,
  billingPortal,
  createCheckoutBody,
  customerPortalBody,
  stripeEventReceipt,
  syncCheckoutBody,
} from '../api/billing.ts';
import { base64, id } from '../base/common.ts';
import { defineBroadcast, defineRpc } from '../base/define.ts';

const common = { server: 'billing', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;
/** Longer than Stripe is given to answer, once more included. */
const withStripe = { ...common, deadlineMs: 25_000 } as const;
const ofAccount = z.object({ accountId: id });

export const describeBilling = defineRpc({
  ...common,
  subject: 'billing.describe-billing.v1',
  request: ofAccount,
  reply: z.object({ billing }),
});

/** The actions throw `billing_not_configured` where no Stripe key is set. */
export const createCheckout = defineRpc({
  ...withStripe,
  subject: 'billing.create-checkout.v1',
  request: ofAccount.extend({ body: createCheckoutBody }),
  reply: z.object({ checkout: billingCheckout }),
});

/** Throws `not_found` for an account that never checked out. */
export const openCustomerPortal = defineRpc({
  ...withStripe,
  subject: 'billing.open-customer-portal.v1',
  request: ofAccount.extend({ body: customerPortalBody }),
  reply: z.object({ portal: billingPortal }),
});

/** Throws `not_found` for a checkout that is not this account's. */
export const syncCheckout = defineRpc({
  ...withStripe,
  subject: 'billing.sync-checkout.v1',
  request: ofAccount.extend({ sessionId: syncCheckoutBody.shape.session_id }),
  reply: z.object({ billing }),
});

export const syncSubscription = defineRpc({
  ...withStripe,
  subject: 'billing.sync-subscription.v1',
  request: ofAccount,
  reply: z.object({ billing }),
});

/** An event as Stripe sent it. Throws `invalid_webhook_signature`, and while it can't be kept `service_unavailable`. */
export const receiveStripeEvent = defineRpc({
  ...withStripe,
  subject: 'billing.receive-stripe-event.v1',
  request: z.object({
    /** The raw body: the signature is over its very bytes. */
    body: base64,
    signature: z.string().max(4_096),
  }),
  reply: stripeEventReceipt,
});

/**
 * Ends the account's subscription at Stripe, and puts a pseudonym in its place in the ledger, now and in entries that come
 * late. Asked once more it finds nothing, and changes nothing.
 */
export const forgetAccountBilling = defineRpc({
  subject: 'billing.forget-account.v1',
  server: 'billing',
  callers: ['account'],
  deadlineMs: 25_000,
  request: ofAccount,
  reply: z.object({ isDone: z.boolean() }),
});

/** Batches of ledger entries are in Postgres: the worker's outbox may let go of them. */
export const ledgerCommitted = defineBroadcast({
  subject: 'billing.ledger-committed.v1',
  publisher: 'billing',
  listeners: ['worker'],
  message: z.object({ batchIds: z.array(id).max(1000) }),
});
