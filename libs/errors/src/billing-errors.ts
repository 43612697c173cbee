import type { ErrorDefinition } from './error-definition.ts';

/** Errors of plans and payment, as part of the registry. */
export const billingErrors = {
  billing_not_configured: {
    status: 409,
    type: 'billing_error',
    message: 'Nobody is charged here: this gateway is self-hosted, without Stripe.',
    retryable: false,
  },
  already_subscribed: {
    status: 409,
    type: 'billing_error',
    message: 'This account has a subscription. The customer portal changes or ends it.',
    retryable: false,
  },
  // One text for a wrong, missing, old and repeated signature.
  invalid_webhook_signature: {
    status: 400,
    type: 'authentication_error',
    message: 'The signature of this event is not valid.',
    retryable: false,
  },
  payment_provider_error: {
    status: 502,
    type: 'api_error',
    message: 'Stripe did not serve this request.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorDefinition>;
