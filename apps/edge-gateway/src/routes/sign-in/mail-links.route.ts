import { forgotPasswordBody, resetPasswordBody, verifyEmailBody } from '@gateway/contracts';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FromLoginSession } from '../../access/access.guard.ts';
import { IdentityClient } from '../../login-sessions/identity-client.ts';
import type { LoginSession } from '../../login-sessions/login-session.ts';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { RATE_LIMITER, type RateLimiter } from '../../rate-limits/rate-limiter.port.ts';
import { readJson } from '../../request/read-body.ts';
import {
  admitClient,
  AUTH_SETTINGS,
  bodyBytesMax,
  requireEmbedded,
  type AuthSettings,
} from './browser-request.ts';
import { setDeviceCookie } from './cookies.ts';
import * as operations from './mail-links.operations.ts';

/** Serves the `/v1/auth` routes that reset a password or verify an email address. */
@Controller('/v1/auth')
@AllowAccess('public')
export class MailLinksRoute {
  readonly #identity: IdentityClient;
  readonly #rateLimiter: RateLimiter;
  readonly #settings: AuthSettings;

  constructor(
    @Inject(IdentityClient) identity: IdentityClient,
    @Inject(RATE_LIMITER) rateLimiter: RateLimiter,
    @Inject(AUTH_SETTINGS) settings: AuthSettings,
  ) {
    this.#identity = identity;
    this.#rateLimiter = rateLimiter;
    this.#settings = settings;
  }

  @Post('/forgot-password')
  @HttpCode(202)
  @Describe(operations.forgotPassword)
  async forgotPassword(
    @Req() request: FastifyRequest,
  ): Promise<{ object: 'password_reset.requested'; requested: true }> {
    const client = await admitClient(request, this.#rateLimiter, this.#settings);
    const { email } = await readJson(request, forgotPasswordBody, bodyBytesMax);
    await this.#identity.requestPasswordReset(email, client);
    return { object: 'password_reset.requested', requested: true };
  }

  @Post('/reset-password')
  @HttpCode(200)
  @Describe(operations.resetPassword)
  async resetPassword(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ object: 'password.reset'; reset: true; email: string }> {
    const { origin } = await admitClient(request, this.#rateLimiter, this.#settings);
    const { token, new_password } = await readJson(request, resetPasswordBody, bodyBytesMax);
    const reset = await this.#identity.resetPassword({ token, newPassword: new_password }, origin);
    setDeviceCookie(request, reply, reset.deviceToken);
    return { object: 'password.reset', reset: true, email: reset.email };
  }

  @Post('/verify-email')
  @HttpCode(200)
  @Describe(operations.verifyEmail)
  async verifyEmail(
    @Req() request: FastifyRequest,
  ): Promise<{ object: 'email.verified'; verified: true; email: string }> {
    const { origin } = await admitClient(request, this.#rateLimiter, this.#settings);
    const { token } = await readJson(request, verifyEmailBody, bodyBytesMax);
    const { email } = await this.#identity.verifyEmail(token, origin);
    return { object: 'email.verified', verified: true, email };
  }

  @Post('/resend-verification')
  @HttpCode(202)
  @AllowAccess('session')
  @Describe(operations.resendVerification)
  async resendVerification(
    @FromLoginSession() session: LoginSession,
    @Req() request: FastifyRequest,
  ): Promise<{ object: 'email_verification.requested'; requested: true }> {
    const client = await admitClient(request, this.#rateLimiter, this.#settings);
    await this.#identity.requestEmailVerification(requireEmbedded(session).subject, client);
    return { object: 'email_verification.requested', requested: true };
  }
}
