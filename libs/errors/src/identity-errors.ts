import type { ErrorDefinition } from './error-definition.ts';

/** Errors of sign-in, sign-up and emailed links, which are part of the error registry. */
export const identityErrors = {
  // An unknown e-mail address and a wrong password return the same text.
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
    message: 'Too many failed attempts. Try again later, or reset the password.',
    retryable: true,
  },
  // Expired, used, replaced and forged tokens return the same text.
  invalid_mail_token: {
    status: 400,
    type: 'invalid_request_error',
    message: 'This link has expired or was already used. Request a new link.',
    retryable: false,
  },
  mail_not_configured: {
    status: 409,
    type: 'invalid_request_error',
    message: 'This gateway cannot send e-mail. Ask the operator of the gateway to reset the password.',
    retryable: false,
  },
  email_taken: {
    status: 409,
    type: 'invalid_request_error',
    message: 'An account with this e-mail address already exists. Log in, or use another address.',
    retryable: false,
  },
  sign_up_closed: {
    status: 403,
    type: 'permission_error',
    message: 'Sign-up is closed. Ask the operator of this gateway for an account.',
    retryable: false,
  },
  cross_site_request: {
    status: 403,
    type: 'permission_error',
    message: 'This endpoint does not accept calls from a page of another site.',
    retryable: false,
  },
} as const satisfies Record<string, ErrorDefinition>;
