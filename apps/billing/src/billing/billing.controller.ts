import {
  createCheckout as createCheckoutContract,
  describeBilling as describeBillingContract,
  forgetAccountBilling as forgetAccountBillingContract,
  openCustomerPortal as openCustomerPortalContract,
  receiveStripeEvent as receiveStripeEventContract,
  syncCheckout as syncCheckoutContract,
  syncSubscription as syncSubscriptionContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { PAYMENTS, type Payments } from '../payments/payments.port.ts';
import { BILLING_DATABASE, type BillingDatabase } from '../persistence/billing-database.ts';
import { PLANS, type Plans } from '../plans/plans.ts';
import type { BillingContext } from './customer.ts';
import { forgetAccount } from './forget-account.ts';
import { describeBilling } from './read-billing.ts';
import { receiveStripeEvent } from './receive-stripe-event.ts';
import { createCheckout, openCustomerPortal, syncCheckout, syncSubscription } from './subscribe.ts';

/** Implements the RPC contracts for billing. */
@Controller()
export class BillingController {
  readonly #context: BillingContext;

  constructor(
    @Inject(BILLING_DATABASE) database: BillingDatabase,
    @Inject(PLANS) plans: Plans,
    @Inject(PAYMENTS) payments: Payments | null,
  ) {
    this.#context = { database, plans, payments, now: () => new Date() };
  }

  @RpcHandler(describeBillingContract)
  describeBilling(
    request: ParsedRequestOf<typeof describeBillingContract>,
  ): Promise<ReplyOf<typeof describeBillingContract>> {
    return describeBilling(this.#context, request);
  }

  @RpcHandler(createCheckoutContract)
  createCheckout(
    request: ParsedRequestOf<typeof createCheckoutContract>,
  ): Promise<ReplyOf<typeof createCheckoutContract>> {
    return createCheckout(this.#context, request);
  }

  @RpcHandler(openCustomerPortalContract)
  openCustomerPortal(
    request: ParsedRequestOf<typeof openCustomerPortalContract>,
  ): Promise<ReplyOf<typeof openCustomerPortalContract>> {
    return openCustomerPortal(this.#context, request);
  }

  @RpcHandler(syncCheckoutContract)
  syncCheckout(
    request: ParsedRequestOf<typeof syncCheckoutContract>,
  ): Promise<ReplyOf<typeof syncCheckoutContract>> {
    return syncCheckout(this.#context, request);
  }

  @RpcHandler(syncSubscriptionContract)
  syncSubscription(
    request: ParsedRequestOf<typeof syncSubscriptionContract>,
  ): Promise<ReplyOf<typeof syncSubscriptionContract>> {
    return syncSubscription(this.#context, request);
  }

  @RpcHandler(receiveStripeEventContract)
  receiveStripeEvent(
    request: ParsedRequestOf<typeof receiveStripeEventContract>,
  ): Promise<ReplyOf<typeof receiveStripeEventContract>> {
    return receiveStripeEvent(this.#context, request);
  }

  @RpcHandler(forgetAccountBillingContract)
  forgetAccount(
    request: ParsedRequestOf<typeof forgetAccountBillingContract>,
  ): Promise<ReplyOf<typeof forgetAccountBillingContract>> {
    return forgetAccount(this.#context, request);
  }
}
