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
 * Opens a page at Stripe on which the account subscribes to a plan, once: a page that is open already is closed. Throws
 * `invalid_field` for a plan that cannot be had, and `already_subscribed` for who would pay twice.
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
      message: `Nobody can subscribe to a plan "${body.plan_id}" here.`,
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
 * Takes over what a person has just paid for, without waiting for Stripe's event. Throws `not_found` for a checkout that is
 * not this account's. One that is not complete changes nothing.
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

/** Asks Stripe what the account is subscribed to now. Of who never checked out there is nothing to ask. */
export async function syncSubscription(
  context: BillingContext,
  { accountId }: { accountId: string },
): Promise<{ billing: Billing }> {
  const payments = requirePayments(context.payments);
  const customerId = await findCustomer(context, accountId);
  if (customerId !== null) await syncCustomer(context, payments, { accountId, customerId });
  return { billing: await readBilling(context, accountId) };
}

/** Opens the page at Stripe on which a subscription is changed or ended. Throws `not_found` for who never checked out. */
export async function openCustomerPortal(
  context: Pick<BillingContext, 'database' | 'payments' | 'now'>,
  { accountId, body }: ParsedRequestOf<typeof openCustomerPortalContract>,
): Promise<{ portal: BillingPortal }> {
  const payments = requirePayments(context.payments);
  const customerId = await findCustomer(context, accountId);
  if (customerId === null) {
    throw new GatewayError('not_found', { message: 'This account has never checked out.' });
  }
  const url = await payments.openPortal(customerId, body.return_url);
  return { portal: { object: 'billing.portal', url } };
}
