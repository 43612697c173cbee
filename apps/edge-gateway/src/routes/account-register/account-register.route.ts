import { getAccount, registerAccount, registerBody, type Account } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess } from '../../http/access.ts';
import { FromSession } from '../../http/caller.decorator.ts';
import { Describe } from '../../http/operation.ts';
import { readOptionalJson } from '../../http/zod-input.ts';
import type { SessionGate } from '../../sessions/session-gate.ts';
import type { Session } from '../../sessions/session.ts';
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
