import {
  changePasswordBody,
  logInBody,
  refreshBody,
  type RequestOrigin,
  type SessionBody,
  type LoginSessionKey,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { Controller, Get, Header, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FromLoginSession, readBearer } from '../../access/access.guard.ts';
import { IdentityClient, type OpenedSession } from '../../login-sessions/identity-client.ts';
import { LoginSessionGate } from '../../login-sessions/login-session-gate.ts';
import type { LoginSession } from '../../login-sessions/login-session.ts';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { RATE_LIMITER, type RateLimiter } from '../../rate-limits/rate-limiter.port.ts';
import { readJson, readOptionalJson } from '../../request/read-body.ts';
import { findKnownDevice } from '../../login-sessions/known-device.ts';
import {
  admitClient,
  AUTH_SETTINGS,
  bodyBytesMax,
  requireEmbedded,
  type AuthSettings,
  type Client,
} from './browser-request.ts';
import {
  clearRefreshCookie,
  readDeviceTokens,
  readRefreshCookie,
  setDeviceCookie,
  setRefreshCookie,
} from './cookies.ts';
import * as operations from './sign-in.operations.ts';

/**
 * How long a set of signing keys is reused before the next lookup, in milliseconds. The route for the key set
 * has no rate limit.
 */
const keySetFreshMs = 10_000;

/**
 * Serves `/v1/auth` and `/.well-known/jwks.json`. The routes create and end login sessions of users that the
 * account service manages.
 */
@Controller()
@AllowAccess('public')
export class SignInRoute {
  readonly #identity: IdentityClient;
  readonly #loginSessions: LoginSessionGate;
  readonly #rateLimiter: RateLimiter;
  readonly #settings: AuthSettings;
  #keySet: Promise<{ keys: LoginSessionKey[] }> | undefined;
  #keySetReadAt = -Infinity;

  constructor(
    @Inject(IdentityClient) identity: IdentityClient,
    @Inject(LoginSessionGate) loginSessions: LoginSessionGate,
    @Inject(RATE_LIMITER) rateLimiter: RateLimiter,
    @Inject(AUTH_SETTINGS) settings: AuthSettings,
  ) {
    this.#identity = identity;
    this.#loginSessions = loginSessions;
    this.#rateLimiter = rateLimiter;
    this.#settings = settings;
  }

  @Post('/v1/auth/sign-up')
  @HttpCode(201)
  @Describe(operations.signUp)
  async signUp(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionBody> {
    await this.#admit(request);
    const { refresh_token_in, ...credentials } = await readJson(request, logInBody, bodyBytesMax);
    const session = await this.#identity.signUp(credentials);
    return sendSession(session, refresh_token_in, request, reply);
  }

  @Post('/v1/auth/log-in')
  @HttpCode(200)
  @Describe(operations.logIn)
  async logIn(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionBody> {
    const deviceTokens = readDeviceTokens(request);
    const client = await this.#admit(request, deviceTokens);
    const { refresh_token_in, ...credentials } = await readJson(request, logInBody, bodyBytesMax);
    const session = await this.#identity.logIn({ ...credentials, deviceTokens }, client);
    return sendSession(session, refresh_token_in, request, reply);
  }

  @Post('/v1/auth/refresh')
  @HttpCode(200)
  @Describe(operations.refreshTokens)
  async refresh(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionBody> {
    const { origin } = await this.#admit(request, readDeviceTokens(request));
    const { refresh_token } = await readJson(request, refreshBody, bodyBytesMax);
    const token = refresh_token ?? readRefreshCookie(request);
    if (token === undefined) throw new GatewayError('invalid_refresh_token');
    const session = await this.#identity.refresh(token, origin);
    return sendSession(session, refresh_token === undefined ? 'cookie' : 'body', request, reply);
  }

  @Post('/v1/auth/log-out')
  @HttpCode(200)
  @Describe(operations.logOut)
  async logOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ object: 'session.ended'; ended: true }> {
    const { origin } = await this.#admit(request);
    const { refresh_token } = await readOptionalJson(request, refreshBody, bodyBytesMax);
    const bearer = readBearer(request);
    const cookie = readRefreshCookie(request);
    if (refresh_token !== undefined) await this.#identity.logOut({ refreshToken: refresh_token }, origin);
    else if (cookie !== undefined) await this.#identity.logOut({ refreshToken: cookie }, origin);
    else if (bearer !== undefined) await this.#endSessionOf(bearer, origin);
    if (cookie !== undefined) clearRefreshCookie(request, reply);
    return { object: 'session.ended', ended: true };
  }

  @Post('/v1/auth/change-password')
  @HttpCode(200)
  @AllowAccess('session')
  @Describe(operations.changePassword)
  async changePassword(
    @FromLoginSession() session: LoginSession,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ object: 'password.changed'; changed: true }> {
    const client = await this.#admit(request);
    const body = await readJson(request, changePasswordBody, bodyBytesMax);
    const { subject, sessionId } = requireEmbedded(session);
    const passwords = { currentPassword: body.current_password, newPassword: body.new_password };
    const person = { subject, sessionId, ...client };
    const deviceToken = await this.#identity.changePassword(person, passwords);
    if (deviceToken !== null) setDeviceCookie(request, reply, deviceToken);
    return { object: 'password.changed', changed: true };
  }

  @Get('/.well-known/jwks.json')
  @Header('cache-control', 'public, max-age=300')
  @Describe(operations.readSessionKeys)
  async readKeys(): Promise<{ keys: LoginSessionKey[] }> {
    if (this.#keySet && performance.now() - this.#keySetReadAt < keySetFreshMs) return this.#keySet;
    this.#keySetReadAt = performance.now();
    this.#keySet = this.#identity.keySet();
    return this.#keySet;
  }

  /** Checks the origin and the rate limit of a call. A known device has a separate rate limit. */
  async #admit(request: FastifyRequest, deviceTokens: readonly string[] = []): Promise<Client> {
    const deviceId = await findKnownDevice(this.#identity, deviceTokens);
    return admitClient(request, this.#rateLimiter, this.#settings, deviceId);
  }

  async #endSessionOf(token: string, origin: RequestOrigin): Promise<void> {
    const { sessionId } = requireEmbedded(await this.#loginSessions.authenticate(token));
    await this.#identity.logOut({ sessionId }, origin);
  }
}

function sendSession(
  session: OpenedSession,
  refreshTokenIn: 'cookie' | 'body',
  request: FastifyRequest,
  reply: FastifyReply,
): SessionBody {
  const { refreshToken, refreshExpiresInSeconds } = session;
  reply.header('cache-control', 'no-store');
  if (refreshTokenIn === 'cookie') setRefreshCookie(request, reply, refreshToken, refreshExpiresInSeconds);
  if (session.deviceToken !== null) setDeviceCookie(request, reply, session.deviceToken);
  return {
    object: 'session',
    access_token: session.accessToken,
    token_type: 'Bearer',
    expires_in: session.accessExpiresInSeconds,
    ...(refreshTokenIn === 'body' ? { refresh_token: refreshToken } : {}),
    refresh_token_expires_in: refreshExpiresInSeconds,
    email: session.email,
    email_verified: session.emailVerified,
  };
}
