import {
  deleteAccount,
  getAccount,
  getAccountDeletion,
  registerAccount,
  registerBody,
  updateAccount,
  updateAccountBody,
  type Account,
  type AccountDeletion,
  type OwnAccount,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FromCaller, FromLoginSession, type AccountCaller } from '../../access/access.guard.ts';
import { readOrigin } from '../../access/actor.ts';
import { MESSAGING } from '../../access/tokens.ts';
import { LoginSessionGate } from '../../login-sessions/login-session-gate.ts';
import type { LoginSession } from '../../login-sessions/login-session.ts';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { RateCeiling } from '../../grants/rate-ceiling.ts';
import { readJson, readOptionalJson } from '../../request/read-body.ts';
import {
  changeAccount,
  readAccount,
  readAccountDeletion,
  register,
  removeAccount,
} from './account.operations.ts';

/** Serves `/v1/account/me`, `/v1/account/register` and `/v1/account/deletions`. */
@Controller('/v1/account')
@AllowAccess('api-key-or-session')
export class AccountRoute {
  readonly #messaging: Messaging;
  readonly #loginSessions: LoginSessionGate;
  readonly #rateCeiling: RateCeiling;

  constructor(
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(LoginSessionGate) loginSessions: LoginSessionGate,
    @Inject(RateCeiling) rateCeiling: RateCeiling,
  ) {
    this.#rateCeiling = rateCeiling;
    this.#messaging = messaging;
    this.#loginSessions = loginSessions;
  }

  @Get('/me')
  @Describe(readAccount)
  async read(@FromCaller() { accountId, personId }: AccountCaller): Promise<OwnAccount> {
    const reply = await this.#messaging.call(getAccount, { accountId, personId });
    const account = this.#render(reply.account);
    return reply.person === null ? account : { ...account, person: reply.person };
  }

  @Patch('/me')
  @Describe(changeAccount)
  async change(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<Account> {
    const body = await readJson(request, updateAccountBody);
    this.#rateCeiling.require(body.policy?.rate_limit_rpm, 'policy.rate_limit_rpm');
    return this.#render((await this.#messaging.call(updateAccount, { accountId, actor, body })).account);
  }

  @Delete('/me')
  @HttpCode(202)
  @Describe(removeAccount)
  async remove(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDeletion> {
    const { deletion } = await this.#messaging.call(deleteAccount, { accountId, actor });
    void reply.header('location', `/v1/account/deletions/${deletion.id}`);
    return deletion;
  }

  @Get('/deletions/:deletionId')
  @AllowAccess('public')
  @Describe(readAccountDeletion)
  async readDeletion(@Param('deletionId') deletionId: string): Promise<AccountDeletion> {
    if (!z.uuid().safeParse(deletionId).success) throw new GatewayError('not_found');
    const { deletion } = await this.#messaging.call(getAccountDeletion, { deletionId });
    if (deletion === null) throw new GatewayError('not_found');
    return deletion;
  }

  /** A new user calls this route first, because API keys belong to an existing account. */
  @Post('/register')
  @HttpCode(200)
  @AllowAccess('session')
  @Describe(register)
  async register(
    @FromLoginSession() session: LoginSession,
    @Req() request: FastifyRequest,
  ): Promise<Account> {
    const { name = null } = await readOptionalJson(request, registerBody);
    const { issuer, subject } = session;
    const call = { issuer, subject, name, origin: readOrigin(request) };
    const { accountId } = await this.#messaging.call(registerAccount, call);
    this.#loginSessions.forget(issuer, subject);
    return this.#render((await this.#messaging.call(getAccount, { accountId })).account);
  }

  #render(account: Account): Account {
    return { ...account, policy: this.#rateCeiling.capRecord(account.policy) };
  }
}
