import { syncCheckout as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { BILLING_CONTEXT, type BillingContext } from '../domain/billing-context.ts';
import { syncCheckout } from './sync-checkout.ts';

@Controller()
export class SyncCheckoutHandler {
  readonly #context: BillingContext;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  syncCheckout(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return syncCheckout(this.#context, request);
  }
}
