import type { ErrorDefinition } from './error-definition.ts';

/**
 * Errors for a valid credential that does not permit the call. The errors in this file are part of the error
 * registry.
 */
export const permissionErrors = {
  session_required: {
    status: 403,
    type: 'permission_error',
    message: 'This endpoint requires a dashboard session token, not an API key.',
    retryable: false,
  },
  api_key_required: {
    status: 403,
    type: 'permission_error',
    message: 'This endpoint requires an API key, not a dashboard session token.',
    retryable: false,
  },
  insufficient_scope: {
    status: 403,
    type: 'permission_error',
    message:
      'This API key lacks the scope that this endpoint requires. Use a key with that scope, or add the scope to this key.',
    retryable: false,
  },
  own_key_change: {
    status: 403,
    type: 'permission_error',
    message:
      'An API key cannot change or rotate itself. Use the dashboard, or another key with the scope "manage".',
    retryable: false,
  },
  grant_exceeds_key: {
    status: 403,
    type: 'permission_error',
    message: 'An API key cannot grant more than it has. Ask for less, or use the dashboard.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorDefinition>;

/** Billing and payment errors, which are part of the error registry. */
export const billingErrors = {
  billing_not_configured: {
    status: 409,
    type: 'billing_error',
    message: 'Billing is off, because this gateway is self-hosted and has no Stripe key.',
    retryable: false,
  },
  already_subscribed: {
    status: 409,
    type: 'billing_error',
    message:
      'This account already has a subscription. Change or end the subscription in the customer portal.',
    retryable: false,
  },
  // Wrong, missing, outdated and replayed webhook signatures return the same text.
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

/** Errors about the tools and the tool calls of a request, which are part of the error registry. */
export const toolErrors = {
  unbalanced_tool_calls: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Tool calls and tool results do not match. Send exactly one result for each call.',
    retryable: false,
  },
  tool_not_allowed: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'tool_choice forces a tool that this API key may not use. Choose another tool, or change the tool lists of the key.',
    retryable: false,
  },
  ambiguous_tools: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'This API key has tool lists, and servers may read the tools of the request in different ways. Send each tool once, with one name, in the documented fields.',
    retryable: false,
  },
  too_many_tools: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The request has more than 4096 tools. Send fewer.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorDefinition>;
