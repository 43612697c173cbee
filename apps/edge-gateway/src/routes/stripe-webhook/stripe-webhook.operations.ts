import { stripeEventReceipt } from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

export const receiveStripeEvent: Operation = {
  id: 'receiveStripeEvent',
  tag: 'Billing',
  summary: 'Receive an event of Stripe',
  description:
    'For Stripe alone: the address of its webhook. The signature is checked over the very bytes of the body; one that is older than five minutes, or came before, is refused. An event that comes again, signed anew, changes nothing.',
  headers: z.object({ 'stripe-signature': z.string() }),
  body: { schema: z.looseObject({ id: z.string(), type: z.string() }) },
  answer: { status: 200, description: 'It was heeded.', schema: stripeEventReceipt },
  errors: ['invalid_webhook_signature', 'billing_not_configured', 'payment_provider_error'],
};
