import type {
  Billing,
  BillingCheckout,
  BillingPortal,
  createCheckout as createCheckoutContract,
  openCustomerPortal as openCustomerPortalContract,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ParsedRequestOf } from '@gateway/messaging';
import {
  ensureCustomer,
  findCustomer,
  requirePayments,
  syncCustomer,
  type BillingContext,
} from './customer.ts';
import { isPaying } from '../plans/plans.ts';
import { readBilling } from './read-billing.ts';

/**
 * Opens a Stripe checkout page where the account can subscribe to a plan. Checkout pages that are still open
 * are closed first. Throws `invalid_field` for an unavailable plan, and `already_subscribed` if the account
 * has a paid subscription.
 */
export async function createCheckout(
  context: BillingContext,
  { accountId, body }: ParsedRequestOf<typeof createCheckoutContract>,
): Promise<{ checkout: BillingCheckout }> {
  const payments = requirePayments(context.payments);
  const priceId = context.plans.find(({ id }) => id === body.plan_id)?.stripe_price_id ?? null;
  if (priceId === null) {
    throw new GatewayError('invalid_field', {
      param: 'plan_id',
      message: `The plan "${body.plan_id}" is not available for subscription.`,
    });
  }
  const customerId = await ensureCustomer(context, payments, accountId);
  const subscription = await payments.findSubscription(customerId);
  if (subscription && isPaying(subscription.status)) throw new GatewayError('already_subscribed');
  const { id, url } = await payments.createCheckout({
    ...{ accountId, customerId, priceId },
    successUrl: body.success_url,
    cancelUrl: body.cancel_url,
  });
  return { checkout: { object: 'billing.checkout', id, url } };
}

/**
 * Updates the stored subscription after a Stripe checkout. Updates the subscription without waiting for the event
 * from Stripe. An incomplete checkout changes nothing. Throws `not_found` if the checkout belongs to another account.
 */
export async function syncCheckout(
  context: BillingContext,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<{ billing: Billing }> {
  const payments = requirePayments(context.payments);
  const checkout = await payments.findCheckout(sessionId);
  if (checkout?.accountId !== accountId) throw new GatewayError('not_found');
  if (checkout.isComplete) {
    const customerId = await ensureCustomer(context, payments, accountId);
    await syncCustomer(context, payments, { accountId, customerId });
  }
  return { billing: await readBilling(context, accountId) };
}

/**
 * Updates the account's stored subscription with data from Stripe. Does nothing for an account without a
 * Stripe customer.
 */
export async function syncSubscription(
  context: BillingContext,
  { accountId }: { accountId: string },
): Promise<{ billing: Billing }> {
  const payments = requirePayments(context.payments);
  const customerId = await findCustomer(context, accountId);
  if (customerId !== null) await syncCustomer(context, payments, { accountId, customerId });
  return { billing: await readBilling(context, accountId) };
}

/**
 * Opens the Stripe page for changing or canceling a subscription. Throws `not_found` for an account that
 * never started a checkout.
 */
export async function openCustomerPortal(
  context: Pick<BillingContext, 'database' | 'payments' | 'now'>,
  { accountId, body }: ParsedRequestOf<typeof openCustomerPortalContract>,
): Promise<{ portal: BillingPortal }> {
  const payments = requirePayments(context.payments);
  const customerId = await findCustomer(context, accountId);
  if (customerId === null) {
    throw new GatewayError('not_found', {
      message: 'This account has no billing customer yet. Start a checkout first.',
    });
  }
  const url = await payments.openPortal(customerId, body.return_url);
  return { portal: { object: 'billing.portal', url } };
}
