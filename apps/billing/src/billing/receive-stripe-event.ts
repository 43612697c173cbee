import type { StripeEventReceipt } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { isUniqueConflict } from '@gateway/persistence';
import { syncCustomer, requirePayments, type BillingContext } from './customer.ts';
import type { PaymentEvent } from '../payments/payments.port.ts';

/**
 * How long the ids of processed Stripe events are stored, in milliseconds. Stripe retries an event for at
 * most three days, and each signature is valid for five minutes.
 */
const rememberedMs = 30 * 86_400_000;
/** The types of Stripe events that can change a subscription. */
const heeded = /^(customer\.subscription\.|checkout\.session\.|invoice\.)/;

type Context = Pick<BillingContext, 'database' | 'payments' | 'now'>;

/**
 * Processes each Stripe event once. An event only triggers an update of the stored subscription from Stripe,
 * so the order of events is irrelevant. An event is stored only after it has been processed, so Stripe sends
 * the event again if processing fails. Stripe signs each delivery separately, so a repeated signature is
 * treated as a replay and rejected.
 */
export async function receiveStripeEvent(
  context: Context,
  { body, signature }: { body: string; signature: string },
): Promise<StripeEventReceipt> {
  const payments = requirePayments(context.payments);
  const event = payments.readEvent(Buffer.from(body, 'base64'), signature, context.now());
  if (await isKnown(context, event)) return { received: true, duplicate: true };
  // The query covers all accounts, because the account is not known before the customer is found.
  const { stripeCustomer } = context.database.acrossAccounts;
  const { customerId } = event;
  if (customerId !== null && heeded.test(event.type)) {
    const customer = await stripeCustomer.findUnique({ where: { customerId } });
    if (customer !== null) await syncCustomer(context, payments, customer);
  }
  return { received: true, duplicate: !(await remember(context, event)) };
}

async function isKnown({ database }: Context, { id, signedAt }: PaymentEvent): Promise<boolean> {
  const { stripeEvent } = database.acrossAccounts;
  if ((await stripeEvent.count({ where: { id } })) === 0) return false;
  const { count } = await stripeEvent.updateMany({
    where: { id, signedAt: { lt: signedAt } },
    data: { signedAt },
  });
  if (count === 0) throw new GatewayError('invalid_webhook_signature', { detail: 'a replay' });
  return true;
}

/** Stores a processed Stripe event. Returns false if the event is already stored. */
async function remember({ database, now }: Context, { id, type, signedAt }: PaymentEvent): Promise<boolean> {
  const { stripeEvent } = database.acrossAccounts;
  await stripeEvent.deleteMany({ where: { receivedAt: { lt: new Date(now().getTime() - rememberedMs) } } });
  try {
    await stripeEvent.create({ data: { id, type, signedAt } });
    return true;
  } catch (error) {
    if (isUniqueConflict(error)) return false;
    throw error;
  }
}
