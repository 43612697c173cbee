import { describeBilling, type Billing } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject } from '@nestjs/common';
import { AllowAccess } from '../../http/access.ts';
import type { AccountCaller } from '../../http/account-caller.ts';
import { FromCaller } from '../../http/caller.decorator.ts';
import { Describe } from '../../http/operation.ts';
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
