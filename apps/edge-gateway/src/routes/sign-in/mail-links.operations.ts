import {
  forgotPasswordBody,
  requestedEmailVerification,
  requestedPasswordReset,
  resetPasswordBody,
  resetPasswordDone,
  verifiedEmail,
  verifyEmailBody,
} from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Login sessions';
const common = ['cross_site_request', 'too_many_attempts', 'not_found'] as const;
const embeddedOnly = 'This endpoint does not exist when an OpenID Connect issuer is configured.';

export const forgotPassword: Operation = {
  id: 'forgotPassword',
  tag,
  summary: 'Request a link for a new password',
  description: `Mails a link to the address if a user has this address. The response and its time are the same for every address. The link works once, for one hour. Repeated requests for one address within a short time send no further mail. Requires a mail server (\`SMTP_URL\`). ${embeddedOnly}`,
  body: { schema: forgotPasswordBody },
  answer: { status: 202, description: 'The request was accepted.', schema: requestedPasswordReset },
  errors: [...common, 'mail_not_configured'],
};

export const resetPassword: Operation = {
  id: 'resetPassword',
  tag,
  summary: 'Set a new password with the token of a link',
  description: `Ends all login sessions of the user, and no earlier browser is a known device any more. The user then logs in with the new password. ${embeddedOnly}`,
  body: { schema: resetPasswordBody },
  answer: {
    status: 200,
    description: 'The password is changed.',
    schema: resetPasswordDone,
    headers: { 'Set-Cookie': 'Marks the browser as a known device.' },
  },
  errors: [...common, 'invalid_mail_token'],
};

export const verifyEmail: Operation = {
  id: 'verifyEmail',
  tag,
  summary: 'Verify an e-mail address with the token of a link',
  description: `The link works once, for 24 hours. ${embeddedOnly}`,
  body: { schema: verifyEmailBody },
  answer: { status: 200, description: 'The address is verified.', schema: verifiedEmail },
  errors: [...common, 'invalid_mail_token'],
};

export const resendVerification: Operation = {
  id: 'resendVerification',
  tag,
  summary: 'Request another verification mail',
  description: `Sends nothing if the address is verified already, or if several mails were sent within a short time. Requires a mail server (\`SMTP_URL\`). ${embeddedOnly}`,
  answer: { status: 202, description: 'The request was accepted.', schema: requestedEmailVerification },
  errors: [...common, 'mail_not_configured'],
};
