import type { ErrorDefinition } from './error-definition.ts';

/** Errors for a valid credential that may not make a call. These errors are part of the registry. */
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
