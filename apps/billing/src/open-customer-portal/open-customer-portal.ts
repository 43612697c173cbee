import type { BillingPortal, openCustomerPortal as contract } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ParsedRequestOf } from '@gateway/messaging';
import type { BillingContext } from '../domain/billing-context.ts';
import { findCustomer } from '../domain/customer.ts';
import { requirePayments } from '../stripe/require-payments.ts';

/** Opens the page at Stripe on which a subscription is changed or ended. Throws `not_found` for who never checked out. */
export async function openCustomerPortal(
  context: Pick<BillingContext, 'database' | 'payments' | 'now'>,
  { accountId, body }: ParsedRequestOf<typeof contract>,
): Promise<{ portal: BillingPortal }> {
  const payments = requirePayments(context.payments);
  const customerId = await findCustomer(context, accountId);
  if (customerId === null) {
    throw new GatewayError('not_found', { message: 'This account has never checked out.' });
  }
  const url = await payments.openPortal(customerId, body.return_url);
  return { portal: { object: 'billing.portal', url } };
}
