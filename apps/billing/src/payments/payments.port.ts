/** A subscription as Stripe has it now. */
export interface PaidSubscription {
  readonly id: string;
  /** Stripe's own word. */
  readonly status: string;
  readonly priceId: string | null;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly cancelAtPeriodEnd: boolean;
}

/** What a person was sent to pay for. */
export interface PaidCheckout {
  readonly accountId: string | null;
  readonly isComplete: boolean;
}

/** An event whose signature was good. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  readonly signedAt: Date;
  /** Whose it is; null for one of no customer. */
  readonly customerId: string | null;
}

/** What billing asks of Stripe. Every call but `readEvent` throws `payment_provider_error` when Stripe does not serve it. */
export interface Payments {
  /** The customer of an account: made once, however often it is asked for at the same time. */
  createCustomer(accountId: string): Promise<string>;
  /** Closes the customer's checkouts that are open, and opens one. */
  createCheckout(checkout: {
    readonly accountId: string;
    readonly customerId: string;
    readonly priceId: string;
    readonly successUrl: string;
    readonly cancelUrl: string;
  }): Promise<{ readonly id: string; readonly url: string }>;
  openPortal(customerId: string, returnUrl: string): Promise<string>;
  findCheckout(id: string): Promise<PaidCheckout | null>;
  /** The one that counts: a paid one, then a live one, then one that ended, the newest first. Null for who never had one. */
  findSubscription(customerId: string): Promise<PaidSubscription | null>;
  /** Ends its subscriptions at once and deletes it. One that is gone already is as good. */
  deleteCustomer(customerId: string): Promise<void>;
  /** Throws `invalid_webhook_signature` unless Stripe signed these very bytes within the last minutes. */
  readEvent(body: Uint8Array, signature: string, now: Date): PaymentEvent;
}

/** Null without a Stripe key: self-hosted. */
export const PAYMENTS = Symbol('Payments');
