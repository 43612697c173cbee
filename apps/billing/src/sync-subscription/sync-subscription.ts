import type { Billing } from '@gateway/contracts';
import type { BillingContext } from '../domain/billing-context.ts';
import { findCustomer, syncCustomer } from '../domain/customer.ts';
import { readBilling } from '../domain/read-billing.ts';
import { requirePayments } from '../stripe/require-payments.ts';

/** Asks Stripe what the account is subscribed to now. Of who never checked out there is nothing to ask. */
export async function syncSubscription(
  context: Pick<BillingContext, 'database' | 'plans' | 'payments' | 'now'>,
  { accountId }: { accountId: string },
): Promise<{ billing: Billing }> {
  const payments = requirePayments(context.payments);
  const customerId = await findCustomer(context, accountId);
  if (customerId !== null) await syncCustomer(context, payments, { accountId, customerId });
  return { billing: await readBilling(context, accountId) };
}
