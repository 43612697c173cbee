import type { BillingCheckout, createCheckout as contract } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ParsedRequestOf } from '@gateway/messaging';
import type { BillingContext } from '../domain/billing-context.ts';
import { ensureCustomer } from '../domain/customer.ts';
import { isPaying } from '../domain/plans.ts';
import { requirePayments } from '../stripe/require-payments.ts';

/**
 * Opens a page at Stripe on which the account subscribes to a plan, once: a page that is open already is closed. Throws
 * `invalid_field` for a plan that cannot be had, and `already_subscribed` for who would pay twice.
 */
export async function createCheckout(
  context: Pick<BillingContext, 'database' | 'plans' | 'payments' | 'now'>,
  { accountId, body }: ParsedRequestOf<typeof contract>,
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
