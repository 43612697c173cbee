import {
  changedPassword,
  changePasswordBody,
  endedSession,
  logInBody,
  refreshBody,
  session,
} from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

const cookie =
  'For a browser the refresh token goes into an `HttpOnly`, `SameSite=Strict` cookie. A program asks for it in the answer with `"refresh_token_in": "body"`.';
const headers = { 'Set-Cookie': 'The refresh token, unless it was asked for in the answer.' };
const common = ['cross_site_request', 'too_many_attempts', 'not_found'] as const;

export const signUpPerson: Operation = {
  id: 'signUp',
  tag: 'Sessions of people',
  summary: 'Sign up with e-mail and password',
  description: `Begins a session. The person has no account until \`POST /v1/account/register\`. ${cookie} Not there when an OpenID Connect issuer is configured.`,
  body: { schema: logInBody },
  answer: { status: 201, description: 'The session.', schema: session, headers },
  errors: [...common, 'email_taken', 'sign_up_closed'],
};

export const logInPerson: Operation = {
  id: 'logIn',
  tag: 'Sessions of people',
  summary: 'Log in with e-mail and password',
  description: `${cookie} Failures are counted by e-mail address and by client address.`,
  body: { schema: logInBody },
  answer: { status: 200, description: 'The session.', schema: session, headers },
  errors: [...common, 'invalid_credentials'],
};

export const refreshTokens: Operation = {
  id: 'refreshSession',
  tag: 'Sessions of people',
  summary: 'Take a new session token',
  description:
    'With the refresh token of the body, or of the cookie. It is replaced: the old one never works again, and if it comes a second time the session ends. Wait for one answer before asking again.',
  body: { schema: refreshBody },
  answer: { status: 200, description: 'The session, with new tokens.', schema: session, headers },
  errors: [...common, 'invalid_refresh_token'],
};

export const logOutPerson: Operation = {
  id: 'logOut',
  tag: 'Sessions of people',
  summary: 'End a session',
  description:
    'That of the refresh token in the body, else of the cookie, else of the session token in `Authorization`. Its tokens are refused everywhere within a second.',
  body: { schema: refreshBody },
  answer: { status: 200, description: 'It has ended, or had before.', schema: endedSession },
  errors: [...common, 'invalid_session_token', 'expired_session_token'],
};

export const replacePassword: Operation = {
  id: 'changePassword',
  tag: 'Sessions of people',
  summary: 'Change the password',
  description: 'All other sessions of the person end.',
  body: { schema: changePasswordBody },
  answer: { status: 200, description: 'It is changed.', schema: changedPassword },
  errors: [...common, 'invalid_credentials'],
};
