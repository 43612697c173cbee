import { receiveStripeEvent as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { BILLING_CONTEXT, type BillingContext } from '../domain/billing-context.ts';
import { receiveStripeEvent } from './receive-stripe-event.ts';

@Controller()
export class ReceiveStripeEventHandler {
  readonly #context: BillingContext;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  receiveStripeEvent(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return receiveStripeEvent(this.#context, request);
  }
}
