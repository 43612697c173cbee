import { forgetAccountBilling as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { BILLING_CONTEXT, type BillingContext } from '../domain/billing-context.ts';
import { forgetAccount } from './forget-account.ts';

@Controller()
export class ForgetAccountHandler {
  readonly #context: BillingContext;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  forgetAccount(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return forgetAccount(this.#context, request);
  }
}
