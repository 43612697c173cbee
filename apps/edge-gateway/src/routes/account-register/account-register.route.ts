import { getAccount, registerAccount, registerBody, type Account } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { FromSession } from '../../access/access.guard.ts';
import { readOptionalJson } from '../../request/read-body.ts';
import type { SessionGate } from '../../login-sessions/login-session-gate.ts';
import type { Session } from '../../login-sessions/login-session.ts';
import { tokens } from '../../tokens.ts';
import { register } from './account-register.operations.ts';

/** `/v1/account/register`: a person's first call, since without an account there is no API key. */
@Controller('/v1/account/register')
@AllowAccess('session')
export class AccountRegisterRoute {
  readonly #messaging: Messaging;
  readonly #sessions: SessionGate;

  constructor(
    @Inject(tokens.messaging) messaging: Messaging,
    @Inject(tokens.sessions) sessions: SessionGate,
  ) {
    this.#messaging = messaging;
    this.#sessions = sessions;
  }

  @Post()
  @HttpCode(200)
  @Describe(register)
  async register(@FromSession() session: Session, @Req() request: FastifyRequest): Promise<Account> {
    const { name = null } = await readOptionalJson(request, registerBody);
    const { issuer, subject } = session;
    const { accountId } = await this.#messaging.call(registerAccount, { issuer, subject, name });
    this.#sessions.forget(issuer, subject);
    return (await this.#messaging.call(getAccount, { accountId })).account;
  }
}
