import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { BILLING_CONTEXT, type BillingContext } from './domain/billing-context.ts';
import { CreateCheckoutHandler } from './create-checkout/create-checkout.handler.ts';
import { DescribeBillingHandler } from './describe-billing/describe-billing.handler.ts';
import { ForgetAccountHandler } from './forget-account/forget-account.handler.ts';
import { OpenCustomerPortalHandler } from './open-customer-portal/open-customer-portal.handler.ts';
import { ReceiveStripeEventHandler } from './receive-stripe-event/receive-stripe-event.handler.ts';
import { SyncCheckoutHandler } from './sync-checkout/sync-checkout.handler.ts';
import { SyncSubscriptionHandler } from './sync-subscription/sync-subscription.handler.ts';
import { WriteLedgerProcessor } from './write-ledger/write-ledger.processor.ts';

@Module({})
export class BillingModule implements OnApplicationShutdown {
  readonly #context: BillingContext;

  constructor(@Inject(BILLING_CONTEXT) context: BillingContext) {
    this.#context = context;
  }

  static with(context: BillingContext): DynamicModule {
    return {
      module: BillingModule,
      providers: [{ provide: BILLING_CONTEXT, useValue: context }, WriteLedgerProcessor],
      controllers: [
        DescribeBillingHandler,
        CreateCheckoutHandler,
        OpenCustomerPortalHandler,
        SyncCheckoutHandler,
        SyncSubscriptionHandler,
        ReceiveStripeEventHandler,
        ForgetAccountHandler,
      ],
    };
  }

  /** Comes after the processor's end, which still needs both. */
  async onApplicationShutdown(): Promise<void> {
    this.#context.queueRedis.disconnect();
    await this.#context.database.close();
  }
}
