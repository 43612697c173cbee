import { deleteAccount, getAccountDeletion, type AccountDeletion } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { Controller, Delete, Get, HttpCode, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { tokens } from '../../tokens.ts';
import { readAccountDeletion, removeAccount } from './account-deletions.operations.ts';

/** `DELETE /v1/account/me`, and the receipt that it answers. */
@Controller()
export class AccountDeletionsRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Delete('/v1/account/me')
  @HttpCode(202)
  @AllowAccess('api-key-or-session')
  @Describe(removeAccount)
  async remove(
    @FromCaller() { accountId }: AccountCaller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDeletion> {
    const { deletion } = await this.#messaging.call(deleteAccount, { accountId });
    void reply.header('location', `/v1/account/deletions/${deletion.id}`);
    return deletion;
  }

  @Get('/v1/account/deletions/:deletionId')
  @AllowAccess('public')
  @Describe(readAccountDeletion)
  async read(@Param('deletionId') deletionId: string): Promise<AccountDeletion> {
    if (!z.uuid().safeParse(deletionId).success) throw new GatewayError('not_found');
    const { deletion } = await this.#messaging.call(getAccountDeletion, { deletionId });
    if (deletion === null) throw new GatewayError('not_found');
    return deletion;
  }
}
