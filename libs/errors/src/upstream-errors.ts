import type { ErrorDefinition } from './error-definition.ts';

/** Errors of calls to providers, which are part of the error registry. */
export const upstreamErrors = {
  provider_error: {
    status: 502,
    type: 'api_error',
    message: 'The provider returned an error.',
    retryable: true,
  },
  upstream_unreachable: {
    status: 502,
    type: 'api_error',
    message: 'The gateway cannot reach the provider. Retry later, or check the base URL of the provider.',
    retryable: true,
  },
  upstream_invalid: {
    status: 502,
    type: 'api_error',
    message: 'The gateway cannot read the response of the provider. Retry, or use another model.',
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    type: 'api_error',
    message: 'The provider did not respond in time. Retry later.',
    retryable: true,
  },
  upstream_unavailable: {
    status: 503,
    type: 'api_error',
    message:
      'The gateway is not calling this provider now: it failed too often, or too many calls are in progress. Retry later.',
    retryable: true,
  },
  egress_denied: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'The gateway may not call this provider address. Use a public address, or ask the operator to allow it.',
    retryable: false,
  },
  // A request loop (508) is not retryable, because the loop exists until the address of the provider changes.
  request_loop: {
    status: 508,
    type: 'invalid_request_error',
    message:
      'This gateway sent the request to itself. The base URL of a provider leads back to the gateway: connect the provider again with its own address.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorDefinition>;
