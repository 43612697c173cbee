import {
  changedPassword,
  changePasswordBody,
  endedSession,
  logInBody,
  refreshBody,
  session,
  sessionKeySet,
} from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Login sessions';
const cookie =
  'A browser receives the refresh token in an `HttpOnly`, `SameSite=Strict` cookie. A program receives it in the response body with `"refresh_token_in": "body"`.';
const headers = {
  'Set-Cookie': 'The refresh token, unless the body contains it; and a cookie that marks a known device.',
};
const common = ['cross_site_request', 'too_many_attempts', 'not_found'] as const;

export const signUp: Operation = {
  id: 'signUp',
  tag,
  summary: 'Sign up with e-mail and password',
  description: `Starts a login session. The user has no account until \`POST /v1/account/register\`. ${cookie} This endpoint does not exist when an OpenID Connect issuer is configured.`,
  body: { schema: logInBody },
  answer: { status: 201, description: 'The login session.', schema: session, headers },
  errors: [...common, 'email_taken', 'sign_up_closed'],
};

export const logIn: Operation = {
  id: 'logIn',
  tag,
  summary: 'Log in with e-mail and password',
  description: `${cookie} Failed attempts are counted per client address, and per e-mail address for unknown devices. A browser that logged in before has a device cookie with a separate limit.`,
  body: { schema: logInBody },
  answer: { status: 200, description: 'The login session.', schema: session, headers },
  errors: [...common, 'invalid_credentials'],
};

export const refreshTokens: Operation = {
  id: 'refreshSession',
  tag,
  summary: 'Get a new session token',
  description:
    'Takes the refresh token from the body or the cookie and replaces it. The old refresh token never works again: if it is sent a second time, the session ends. Wait for the response before you send another refresh.',
  body: { schema: refreshBody },
  answer: { status: 200, description: 'The login session with new tokens.', schema: session, headers },
  errors: [...common, 'invalid_refresh_token'],
};

export const logOut: Operation = {
  id: 'logOut',
  tag,
  summary: 'End a login session',
  description:
    'Ends the session of the refresh token in the body. Without one it uses the cookie, then the session token in `Authorization`. Every gateway rejects the session’s tokens within a second.',
  body: { schema: refreshBody },
  answer: { status: 200, description: 'The session has ended, now or earlier.', schema: endedSession },
  errors: [...common, 'invalid_session_token', 'expired_session_token'],
};

export const changePassword: Operation = {
  id: 'changePassword',
  tag,
  summary: 'Change the password',
  description: 'All other login sessions of the user end, and no other browser is a known device any more.',
  body: { schema: changePasswordBody },
  answer: { status: 200, description: 'The password is changed.', schema: changedPassword },
  errors: [...common, 'invalid_credentials'],
};

export const readSessionKeys: Operation = {
  id: 'getSessionKeys',
  tag,
  summary: 'Read the keys that verify session tokens',
  description: 'A JWK set. A new key is published a day before it signs tokens.',
  answer: { status: 200, description: 'The keys.', schema: sessionKeySet },
  errors: ['not_found', 'service_unavailable'],
};
