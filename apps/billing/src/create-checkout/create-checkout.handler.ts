import { createCheckout as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { BILLING_CONTEXT, type BillingContext } from '../domain/billing-context.ts';
import { createCheckout } from './create-checkout.ts';

@Controller()
export class CreateCheckoutHandler {
  readonly #context: BillingContext;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  createCheckout(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return createCheckout(this.#context, request);
  }
}
