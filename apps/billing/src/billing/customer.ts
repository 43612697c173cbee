import { GatewayError } from '@gateway/errors';
import type { Payments } from '../payments/payments.port.ts';
import type { BillingDatabase } from '../persistence/billing-database.ts';
import type { Plans } from '../plans/plans.ts';

export interface BillingContext {
  readonly database: BillingDatabase;
  readonly plans: Plans;
  /** The payment provider. Null on self-hosted installations, which have no Stripe key. */
  readonly payments: Payments | null;
  readonly now: () => Date;
}

type CustomerContext = Pick<BillingContext, 'database' | 'now'>;

/** The account's customer id at Stripe. Null before the first checkout of the account. */
export async function findCustomer({ database }: CustomerContext, accountId: string): Promise<string | null> {
  const row = await database.forAccount(accountId).stripeCustomer.findUnique({ where: { accountId } });
  return row?.customerId ?? null;
}

/**
 * Returns the account's Stripe customer id. Creates the customer at Stripe if the account has no customer yet.
 * For a deleted account, deletes the new customer at Stripe and throws `not_found`.
 */
export async function ensureCustomer(
  context: CustomerContext,
  payments: Payments,
  accountId: string,
): Promise<string> {
  const known = await findCustomer(context, accountId);
  if (known !== null) return known;
  const customerId = await payments.createCustomer(accountId);
  const isKept = await context.database.transactionForAccount(accountId, async (tx) => {
    const created = { where: { accountId }, create: { accountId, customerId }, update: { customerId } };
    await tx.stripeCustomer.upsert({ ...created, select: { accountId: true } });
    // The code must check for a deletion after it has written the new customer row.
    // A concurrent deletion then either finds the new row, or has stored its deletion mark before this check.
    if ((await tx.forgottenAccount.count({ where: { accountId } })) === 0) return true;
    await tx.stripeCustomer.deleteMany({ where: { accountId } });
    return false;
  });
  if (isKept) return customerId;
  await payments.deleteCustomer(customerId);
  throw new GatewayError('not_found');
}

/**
 * Stores the customer's current subscription, read from Stripe. If two updates run concurrently, the outcome
 * of the update that started later is kept. A change at Stripe during the update triggers a new Stripe
 * event, which causes another update.
 */
export async function syncCustomer(
  { database, now }: CustomerContext,
  payments: Payments,
  { accountId, customerId }: { readonly accountId: string; readonly customerId: string },
): Promise<void> {
  const syncedAt = now();
  const subscription = await payments.findSubscription(customerId);
  await database.forAccount(accountId).stripeCustomer.updateMany({
    where: { customerId, OR: [{ syncedAt: null }, { syncedAt: { lte: syncedAt } }] },
    data: {
      syncedAt,
      subscriptionId: subscription?.id ?? null,
      status: subscription?.status ?? null,
      priceId: subscription?.priceId ?? null,
      currentPeriodStart: subscription?.currentPeriodStart ?? null,
      currentPeriodEnd: subscription?.currentPeriodEnd ?? null,
      cancelAtPeriodEnd: subscription?.cancelAtPeriodEnd ?? false,
    },
  });
}

/** Throws `billing_not_configured` if there is no Stripe key. */
export function requirePayments(payments: Payments | null): Payments {
  if (payments === null) throw new GatewayError('billing_not_configured');
  return payments;
}
