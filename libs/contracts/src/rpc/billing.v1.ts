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
import { defineBroadcast, defineRpc, interactiveMs } from '../base/define.ts';

const common = { server: 'billing', callers: ['edge-gateway'], deadlineMs: interactiveMs } as const;
/** Deadline for RPC calls that call Stripe, long enough for a Stripe call with one retry. */
const withStripe = { ...common, deadlineMs: 25_000 } as const;
const ofAccount = z.object({ accountId: id });

export const describeBilling = defineRpc({
  ...common,
  subject: 'billing.describe-billing.v1',
  request: ofAccount,
  reply: z.object({ billing }),
});

/** Creates a checkout. If no Stripe key is configured, every Stripe action throws `billing_not_configured`. */
export const createCheckout = defineRpc({
  ...withStripe,
  subject: 'billing.create-checkout.v1',
  request: ofAccount.extend({ body: createCheckoutBody }),
  reply: z.object({ checkout: billingCheckout }),
});

/** Opens Stripe's customer portal. Throws `not_found` if the account has never had a checkout. */
export const openCustomerPortal = defineRpc({
  ...withStripe,
  subject: 'billing.open-customer-portal.v1',
  request: ofAccount.extend({ body: customerPortalBody }),
  reply: z.object({ portal: billingPortal }),
});

/** Updates the billing state from a checkout. Throws `not_found` if the checkout belongs to another account. */
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

/**
 * Processes a Stripe event. The request contains the event exactly as Stripe sent it. Throws
 * `invalid_webhook_signature` if the signature is wrong. Throws `service_unavailable` if the event cannot be stored.
 */
export const receiveStripeEvent = defineRpc({
  ...withStripe,
  subject: 'billing.receive-stripe-event.v1',
  request: z.object({
    /** The raw request body. Stripe's signature is computed over the exact bytes of the body. */
    body: base64,
    signature: z.string().max(4_096),
  }),
  reply: stripeEventReceipt,
});

/** Cancels the Stripe subscription, and replaces the account in the ledger by a pseudonym. Idempotent. */
export const forgetAccountBilling = defineRpc({
  subject: 'billing.forget-account.v1',
  server: 'billing',
  callers: ['account'],
  deadlineMs: 25_000,
  request: ofAccount,
  reply: z.object({ isDone: z.boolean() }),
});

/** Reports that batches of ledger entries are stored in Postgres. The worker may delete them from its outbox. */
export const ledgerCommitted = defineBroadcast({
  subject: 'billing.ledger-committed.v1',
  publisher: 'billing',
  listeners: ['worker'],
  message: z.object({ batchIds: z.array(id).max(1000) }),
});
