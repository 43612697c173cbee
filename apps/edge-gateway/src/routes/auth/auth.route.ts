import { changePasswordBody, logInBody, refreshBody, type SessionBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { FromSession } from '../../access/access.guard.ts';
import { readJson, readOptionalJson } from '../../request/read-body.ts';
import type { RateLimiter } from '../../rate-limits/rate-limiter.port.ts';
import {
  limitAuth,
  type AuthSettings,
  chooseClientAddress,
  clearRefreshCookie,
  readRefreshCookie,
  setRefreshCookie,
  requireSameSite,
} from '../sign-in/browser-request.ts';
import type { IdentityClient, OpenedSession } from '../../login-sessions/identity-client.ts';
import type { SessionGate } from '../../login-sessions/login-session-gate.ts';
import type { Session } from '../../login-sessions/login-session.ts';
import { tokens } from '../../tokens.ts';
import {
  logInPerson,
  logOutPerson,
  refreshTokens,
  replacePassword,
  signUpPerson,
} from './auth.operations.ts';

/** Nobody has said yet who they are, so little is read of them. */
const bodyBytesMax = 16 * 1024;

/** `/v1/auth`: sessions of the embedded identity. */
@Controller('/v1/auth')
@AllowAccess('public')
export class AuthRoute {
  readonly #identity: IdentityClient;
  readonly #sessions: SessionGate;
  readonly #rateLimiter: RateLimiter;
  readonly #settings: AuthSettings;

  constructor(
    @Inject(tokens.identity) identity: IdentityClient,
    @Inject(tokens.sessions) sessions: SessionGate,
    @Inject(tokens.rateLimiter) rateLimiter: RateLimiter,
    @Inject(tokens.authSettings) settings: AuthSettings,
  ) {
    this.#identity = identity;
    this.#sessions = sessions;
    this.#rateLimiter = rateLimiter;
    this.#settings = settings;
  }

  @Post('/sign-up')
  @HttpCode(201)
  @Describe(signUpPerson)
  async signUp(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionBody> {
    await this.#admit(request);
    const { refresh_token_in, ...credentials } = await readJson(request, logInBody, bodyBytesMax);
    const session = await this.#identity.signUp(credentials);
    return giveSession(session, refresh_token_in, request, reply);
  }

  @Post('/log-in')
  @HttpCode(200)
  @Describe(logInPerson)
  async logIn(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionBody> {
    const clientAddress = await this.#admit(request);
    const { refresh_token_in, ...credentials } = await readJson(request, logInBody, bodyBytesMax);
    const session = await this.#identity.logIn(credentials, clientAddress);
    return giveSession(session, refresh_token_in, request, reply);
  }

  @Post('/refresh')
  @HttpCode(200)
  @Describe(refreshTokens)
  async refresh(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionBody> {
    await this.#admit(request);
    const { refresh_token } = await readJson(request, refreshBody, bodyBytesMax);
    const token = refresh_token ?? readRefreshCookie(request);
    if (token === undefined) throw new GatewayError('invalid_refresh_token');
    const session = await this.#identity.refresh(token);
    return giveSession(session, refresh_token === undefined ? 'cookie' : 'body', request, reply);
  }

  @Post('/log-out')
  @HttpCode(200)
  @Describe(logOutPerson)
  async logOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ object: 'session.ended'; ended: true }> {
    await this.#admit(request);
    const { refresh_token } = await readOptionalJson(request, refreshBody, bodyBytesMax);
    const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const cookie = readRefreshCookie(request);
    if (refresh_token !== undefined) await this.#identity.logOut({ refreshToken: refresh_token });
    else if (cookie !== undefined) await this.#identity.logOut({ refreshToken: cookie });
    else if (bearer !== undefined) await this.#endSessionOf(bearer);
    if (cookie !== undefined) clearRefreshCookie(request, reply);
    return { object: 'session.ended', ended: true };
  }

  @Post('/change-password')
  @HttpCode(200)
  @AllowAccess('session')
  @Describe(replacePassword)
  async changePassword(
    @FromSession() session: Session,
    @Req() request: FastifyRequest,
  ): Promise<{ object: 'password.changed'; changed: true }> {
    const clientAddress = await this.#admit(request);
    const body = await readJson(request, changePasswordBody, bodyBytesMax);
    const { subject, sessionId } = requireOwn(session);
    const passwords = { currentPassword: body.current_password, newPassword: body.new_password };
    await this.#identity.changePassword({ subject, sessionId, clientAddress }, passwords);
    return { object: 'password.changed', changed: true };
  }

  /** Answers the client's address, by which its failures are counted too. */
  async #admit(request: FastifyRequest): Promise<string> {
    requireSameSite(request);
    const clientAddress = chooseClientAddress(request.ip);
    await limitAuth(this.#rateLimiter, clientAddress, this.#settings);
    return clientAddress;
  }

  async #endSessionOf(token: string): Promise<void> {
    const { sessionId } = requireOwn(await this.#sessions.authenticate(token));
    await this.#identity.logOut({ sessionId });
  }
}

function requireOwn({ subject, sessionId }: Session): { subject: string; sessionId: string } {
  if (sessionId === null) throw new GatewayError('invalid_session_token');
  return { subject, sessionId };
}

function giveSession(
  session: OpenedSession,
  refreshTokenIn: 'cookie' | 'body',
  request: FastifyRequest,
  reply: FastifyReply,
): SessionBody {
  const { refreshToken, refreshExpiresInSeconds } = session;
  reply.header('cache-control', 'no-store');
  if (refreshTokenIn === 'cookie') setRefreshCookie(request, reply, refreshToken, refreshExpiresInSeconds);
  return {
    object: 'session',
    access_token: session.accessToken,
    token_type: 'Bearer',
    expires_in: session.accessExpiresInSeconds,
    ...(refreshTokenIn === 'body' ? { refresh_token: refreshToken } : {}),
    refresh_token_expires_in: refreshExpiresInSeconds,
    email: session.email,
  };
}
