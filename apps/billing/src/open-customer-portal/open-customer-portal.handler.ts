import { openCustomerPortal as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { BILLING_CONTEXT, type BillingContext } from '../domain/billing-context.ts';
import { openCustomerPortal } from './open-customer-portal.ts';

@Controller()
export class OpenCustomerPortalHandler {
  readonly #context: BillingContext;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  openCustomerPortal(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return openCustomerPortal(this.#context, request);
  }
}
