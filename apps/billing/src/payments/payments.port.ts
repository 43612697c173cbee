/** The current state of a subscription at Stripe. */
export interface PaidSubscription {
  readonly id: string;
  /** The status of the subscription, as Stripe names it. */
  readonly status: string;
  readonly priceId: string | null;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly cancelAtPeriodEnd: boolean;
}

/** The outcome of a Stripe checkout page. */
export interface PaidCheckout {
  readonly accountId: string | null;
  readonly isComplete: boolean;
}

/** A Stripe event with a valid signature. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  readonly signedAt: Date;
  /** The id of the Stripe customer to which the event belongs. Null if the event has no customer. */
  readonly customerId: string | null;
}

/**
 * The payment provider, Stripe. All methods except `readEvent` throw `payment_provider_error` if Stripe
 * fails.
 */
export interface Payments {
  /**
   * Creates the Stripe customer for an account. Concurrent calls for one account create only one Stripe
   * customer.
   */
  createCustomer(accountId: string): Promise<string>;
  /** Closes the customer's open checkout pages and creates a new checkout page. */
  createCheckout(checkout: {
    readonly accountId: string;
    readonly customerId: string;
    readonly priceId: string;
    readonly successUrl: string;
    readonly cancelUrl: string;
  }): Promise<{ readonly id: string; readonly url: string }>;
  openPortal(customerId: string, returnUrl: string): Promise<string>;
  findCheckout(id: string): Promise<PaidCheckout | null>;
  /**
   * Returns the most relevant subscription of the customer. Paid subscriptions come first, then unpaid live
   * subscriptions, and then ended subscriptions. Among subscriptions of equal rank, the newest comes first.
   * Null if the customer has no subscription.
   */
  findSubscription(customerId: string): Promise<PaidSubscription | null>;
  /**
   * Deletes the customer and ends its subscriptions immediately. The call also succeeds if the customer
   * does not exist at Stripe.
   */
  deleteCustomer(customerId: string): Promise<void>;
  /**
   * Parses a Stripe event. Throws `invalid_webhook_signature` unless Stripe signed exactly the given bytes
   * within the last few minutes.
   */
  readEvent(body: Uint8Array, signature: string, now: Date): PaymentEvent;
}

/** The payment provider. Null on self-hosted installations, which have no Stripe key. */
export const PAYMENTS = Symbol('Payments');
