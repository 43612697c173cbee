import { getAccount, updateAccount, updateAccountBody, type Account } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Patch, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { readJson } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import { changeAccount, readAccount } from './account-profile.operations.ts';

/** `/v1/account/me`: the account's profile, and the policy that its keys inherit. */
@Controller('/v1/account/me')
@AllowAccess('api-key-or-session')
export class AccountProfileRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get()
  @Describe(readAccount)
  async read(@FromCaller() { accountId }: AccountCaller): Promise<Account> {
    return (await this.#messaging.call(getAccount, { accountId })).account;
  }

  @Patch()
  @Describe(changeAccount)
  async change(@FromCaller() { accountId }: AccountCaller, @Req() request: FastifyRequest): Promise<Account> {
    const body = await readJson(request, updateAccountBody);
    return (await this.#messaging.call(updateAccount, { accountId, body })).account;
  }
}
