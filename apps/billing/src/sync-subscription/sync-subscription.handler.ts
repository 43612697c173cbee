import { syncSubscription as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { BILLING_CONTEXT, type BillingContext } from '../domain/billing-context.ts';
import { syncSubscription } from './sync-subscription.ts';

@Controller()
export class SyncSubscriptionHandler {
  readonly #context: BillingContext;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  syncSubscription(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return syncSubscription(this.#context, request);
  }
}
