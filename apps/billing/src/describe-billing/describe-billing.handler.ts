import { describeBilling as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { BILLING_CONTEXT, type BillingContext } from '../domain/billing-context.ts';
import { describeBilling } from './describe-billing.ts';

@Controller()
export class DescribeBillingHandler {
  readonly #context: BillingContext;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  describeBilling(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return describeBilling(this.#context, request);
  }
}
