import { billing } from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

export const getBilling: Operation = {
  id: 'getBilling',
  tag: 'Billing',
  summary: 'Get the billing estimate',
  description:
    'The account’s plan, what it saved in the current billing period (the calendar month in UTC) and what that comes to, and the months before. `total_tokens_saved` is the sum of `estimated_tokens_saved` and `compression_tokens_saved`; requests count here a moment after they are in the request log. Without a Stripe key the gateway is `self_hosted`, and nobody is charged.',
  answer: { status: 200, description: 'Plan, period and estimate.', schema: billing },
};
