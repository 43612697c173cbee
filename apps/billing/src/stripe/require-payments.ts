import { GatewayError } from '@gateway/errors';
import type { Payments } from './payments.port.ts';

/** Throws `billing_not_configured` where there is no Stripe. */
export function requirePayments(payments: Payments | null): Payments {
  if (payments === null) throw new GatewayError('billing_not_configured');
  return payments;
}
