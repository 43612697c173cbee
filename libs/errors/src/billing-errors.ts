import type { ErrorDefinition } from './error-definition.ts';

/** Billing and payment errors, which are part of the registry. */
export const billingErrors = {
  billing_not_configured: {
    status: 409,
    type: 'billing_error',
    message: 'Billing is off: this gateway is self-hosted and has no Stripe key.',
    retryable: false,
  },
  already_subscribed: {
    status: 409,
    type: 'billing_error',
    message: 'This account already has a subscription. Change or end it in the customer portal.',
    retryable: false,
  },
  // Wrong, missing, outdated and replayed signatures return the same text.
  invalid_webhook_signature: {
    status: 400,
    type: 'authentication_error',
    message: 'The signature of this event is not valid. Check the signing secret of the webhook.',
    retryable: false,
  },
  payment_provider_error: {
    status: 502,
    type: 'api_error',
    message: 'Stripe failed to serve this request. Retry later.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorDefinition>;
