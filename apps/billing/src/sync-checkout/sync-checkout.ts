import type { Billing } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { BillingContext } from '../domain/billing-context.ts';
import { ensureCustomer, syncCustomer } from '../domain/customer.ts';
import { readBilling } from '../domain/read-billing.ts';
import { requirePayments } from '../stripe/require-payments.ts';

/**
 * Takes over what a person has just paid for, without waiting for Stripe's event. Throws `not_found` for a checkout that is
 * not this account's. One that is not complete changes nothing.
 */
export async function syncCheckout(
  context: Pick<BillingContext, 'database' | 'plans' | 'payments' | 'now'>,
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
