import { describeBilling, type Billing } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject } from '@nestjs/common';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { tokens } from '../../tokens.ts';
import { getBilling } from './account-billing.operations.ts';

/** `/v1/account/billing`: what the account pays for, and what it comes to. */
@Controller('/v1/account/billing')
@AllowAccess('api-key-or-session')
export class AccountBillingRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get()
  @Describe(getBilling)
  async get(@FromCaller() { accountId }: AccountCaller): Promise<Billing> {
    return (await this.#messaging.call(describeBilling, { accountId })).billing;
  }
}
