import { billingErrors, permissionErrors, toolErrors } from './account-errors.ts';
import type { ErrorDefinition } from './error-definition.ts';
import { identityErrors } from './identity-errors.ts';
import { upstreamErrors } from './upstream-errors.ts';

/**
 * Every error that the gateway may return. Unlisted errors become `internal_error`. Each error code has an
 * entry in docs/operations/failure-modes.md. A test compares the registry with the documentation page.
 */
export const errorRegistry = {
  missing_api_key: {
    status: 401,
    type: 'authentication_error',
    message: 'The request has no API key. Send it as "Authorization: Bearer sk-svc-…".',
    retryable: false,
  },
  // Unknown, mistyped and revoked API keys return the same text.
  // Error texts never reveal whether an API key exists.
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    message:
      'The API key is not valid. Keys of this gateway start with "sk-svc-". Check the key, or create a new one.',
    retryable: false,
  },
  expired_api_key: {
    status: 401,
    type: 'authentication_error',
    message: 'The API key has expired. Use a newer API key.',
    retryable: false,
  },
  missing_session_token: {
    status: 401,
    type: 'authentication_error',
    message: 'The request has no session token. Log in and send the token as "Authorization: Bearer …".',
    retryable: false,
  },
  // Forged, foreign and revoked session tokens return the same text.
  invalid_session_token: {
    status: 401,
    type: 'authentication_error',
    message: 'The session token is not valid. Log in again.',
    retryable: false,
  },
  expired_session_token: {
    status: 401,
    type: 'authentication_error',
    message: 'The session token has expired. Refresh the token or log in again.',
    retryable: false,
  },
  account_not_registered: {
    status: 403,
    type: 'permission_error',
    message: 'This person has no account yet. Create an account with POST /v1/account/register.',
    retryable: false,
  },
  ...identityErrors,
  ...permissionErrors,
  malformed_json: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The body is not valid JSON.',
    retryable: false,
  },
  malformed_multipart: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The body is not valid multipart/form-data.',
    retryable: false,
  },
  invalid_field: {
    status: 400,
    type: 'invalid_request_error',
    message: 'A field of the request is not valid. See "param".',
    retryable: false,
  },
  missing_field: {
    status: 400,
    type: 'invalid_request_error',
    message: 'A required field is missing. See "param".',
    retryable: false,
  },
  unknown_field: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The body has an unknown field. Remove the field or check its spelling.',
    retryable: false,
  },
  // The status is 422, because SDKs retry a 409, but a request with a reused idempotency key never succeeds.
  idempotency_key_reused: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This Idempotency-Key was used for another request within the last 24 hours. Send a new key.',
    retryable: false,
  },
  ...toolErrors,
  too_deep: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The body is nested more than 128 levels deep.',
    retryable: false,
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    message: 'The content type is not supported. Send the body as application/json.',
    retryable: false,
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message: 'The body is too large. Send a shorter request.',
    retryable: false,
  },
  ambiguous_model: {
    status: 400,
    type: 'invalid_request_error',
    message: 'More than one connected provider has this model. Write the model as <provider>/<model>.',
    retryable: false,
  },
  model_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'No connected provider has this model. List the available models with GET /v1/models.',
    retryable: false,
  },
  endpoint_not_supported: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The provider of this model does not have this endpoint.',
    retryable: false,
  },
  no_candidate_model: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'No model of the connected providers can serve this request. Connect another provider or change the routing preferences.',
    retryable: false,
  },
  provider_not_connected: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'The provider of this model is not connected. Connect the provider with PUT /v1/account/providers.',
    retryable: false,
  },
  not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'The resource does not exist. Check the path and the id.',
    retryable: false,
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: 'This path does not support this method.',
    retryable: false,
  },
  translation_loss: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'The format of this provider cannot express part of this request. Use a provider of the same format, or remove that part.',
    retryable: false,
  },
  // Anthropic's API defines the name `thread_unsupported_request`.
  // After `thread_unsupported_request`, Anthropic's clients repeat the request with all messages.
  thread_unsupported_request: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'This model is not called in the messages format, so it keeps no message threads. Send all messages, without "thread".',
    retryable: false,
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'The API key has reached its request rate limit. Wait and retry.',
    retryable: true,
  },
  saved_token_budget_exhausted: {
    status: 402,
    type: 'billing_error',
    message:
      'The API key has used up its budget of saved tokens. Raise the budget or wait for the next period.',
    retryable: false,
  },
  ...billingErrors,
  ...upstreamErrors,
  service_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'A part of the gateway is not available. Retry later.',
    retryable: true,
  },
  overloaded: {
    status: 503,
    type: 'overloaded_error',
    message: 'The gateway is overloaded. Retry later.',
    retryable: true,
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    message:
      'The gateway failed to serve this request. Retry. If the request fails again, report the request id.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorRegistry;
