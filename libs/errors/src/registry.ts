import { billingErrors } from './billing-errors.ts';
import type { ErrorDefinition } from './error-definition.ts';

/**
 * Every error that may leave the gateway. Only listed codes leave: anything else becomes `internal_error`.
 * Each code has its entry in docs/operations/failure-modes.md; a test holds the two together.
 */
export const errorRegistry = {
  missing_api_key: {
    status: 401,
    type: 'authentication_error',
    message: 'No API key was given. Send it as "Authorization: Bearer sk-svc-…".',
    retryable: false,
  },
  // One text for unknown, mistyped and revoked keys, so that an answer never tells which it was.
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    message: 'The API key is not valid.',
    retryable: false,
  },
  expired_api_key: {
    status: 401,
    type: 'authentication_error',
    message: 'The API key has expired.',
    retryable: false,
  },
  missing_session_token: {
    status: 401,
    type: 'authentication_error',
    message: 'No session token was given. Send it as "Authorization: Bearer …".',
    retryable: false,
  },
  // One text for forged, foreign and revoked ones.
  invalid_session_token: {
    status: 401,
    type: 'authentication_error',
    message: 'The session token is not valid.',
    retryable: false,
  },
  expired_session_token: {
    status: 401,
    type: 'authentication_error',
    message: 'The session token has expired.',
    retryable: false,
  },
  account_not_registered: {
    status: 403,
    type: 'permission_error',
    message: 'This person has no account yet. POST /v1/account/register makes one.',
    retryable: false,
  },
  // One text for an e-mail address that nobody has and a wrong password.
  invalid_credentials: {
    status: 401,
    type: 'authentication_error',
    message: 'The e-mail address or the password is wrong.',
    retryable: false,
  },
  invalid_refresh_token: {
    status: 401,
    type: 'authentication_error',
    message: 'The refresh token is not valid. Log in again.',
    retryable: false,
  },
  too_many_attempts: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many attempts. Try again later.',
    retryable: true,
  },
  email_taken: {
    status: 409,
    type: 'invalid_request_error',
    message: 'Somebody has signed up with this e-mail address already.',
    retryable: false,
  },
  sign_up_closed: {
    status: 403,
    type: 'permission_error',
    message: 'Nobody can sign up here. Ask whoever runs this gateway.',
    retryable: false,
  },
  cross_site_request: {
    status: 403,
    type: 'permission_error',
    message: 'This endpoint cannot be called from the page of another site.',
    retryable: false,
  },
  session_required: {
    status: 403,
    type: 'permission_error',
    message: 'This endpoint takes a dashboard session token, not an API key.',
    retryable: false,
  },
  api_key_required: {
    status: 403,
    type: 'permission_error',
    message: 'This endpoint takes an API key, not a dashboard session token.',
    retryable: false,
  },
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
    message: 'A field of the body is not valid.',
    retryable: false,
  },
  missing_field: {
    status: 400,
    type: 'invalid_request_error',
    message: 'A required field is missing.',
    retryable: false,
  },
  unknown_field: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The body has a field that is not known here.',
    retryable: false,
  },
  // 422 rather than 409, which SDKs send again: the same request will never fit this key.
  idempotency_key_reused: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This Idempotency-Key was used with another request within the last 24 hours.',
    retryable: false,
  },
  unbalanced_tool_calls: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Tool calls and tool results do not match.',
    retryable: false,
  },
  tool_not_allowed: {
    status: 400,
    type: 'invalid_request_error',
    message: 'tool_choice forces a tool that this API key may not use.',
    retryable: false,
  },
  too_deep: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The body is nested more than 128 levels deep.',
    retryable: false,
  },
  too_many_tools: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The request has more than 4096 tools.',
    retryable: false,
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    message: 'Send the body as application/json.',
    retryable: false,
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message: 'The body is too large.',
    retryable: false,
  },
  ambiguous_model: {
    status: 400,
    type: 'invalid_request_error',
    message: 'More than one connected provider has this model. Write it as <provider>/<model>.',
    retryable: false,
  },
  model_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'No connected provider has this model.',
    retryable: false,
  },
  endpoint_not_supported: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The provider of this model has no such endpoint.',
    retryable: false,
  },
  no_candidate_model: {
    status: 400,
    type: 'invalid_request_error',
    message: 'No model of the connected providers can serve this request.',
    retryable: false,
  },
  provider_not_connected: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The provider of this model is not connected.',
    retryable: false,
  },
  not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'There is nothing here by that name.',
    retryable: false,
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: 'This path does not take that method.',
    retryable: false,
  },
  translation_loss: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The provider of this model cannot be told all of this request.',
    retryable: false,
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'The API key has reached its request rate limit.',
    retryable: true,
  },
  saved_token_budget_exhausted: {
    status: 402,
    type: 'billing_error',
    message: 'The API key has used up its budget of saved tokens.',
    retryable: false,
  },
  ...billingErrors,
  provider_error: {
    status: 502,
    type: 'api_error',
    message: 'The provider answered with an error.',
    retryable: true,
  },
  upstream_unreachable: {
    status: 502,
    type: 'api_error',
    message: 'The provider could not be reached.',
    retryable: true,
  },
  upstream_invalid: {
    status: 502,
    type: 'api_error',
    message: 'The provider sent an answer that could not be read.',
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    type: 'api_error',
    message: 'The provider did not answer in time.',
    retryable: true,
  },
  upstream_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'The provider has failed too often lately, or has too many calls under way, to be called now.',
    retryable: true,
  },
  egress_denied: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The provider address is not one that the gateway may call.',
    retryable: false,
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'The gateway cannot serve this right now.',
    retryable: true,
  },
  overloaded: {
    status: 503,
    type: 'overloaded_error',
    message: 'The gateway has more requests than it can serve right now.',
    retryable: true,
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    message: 'The gateway failed to serve this request.',
    retryable: true,
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorRegistry;
