/** The current state of a subscription at Stripe. */
export interface PaidSubscription {
  readonly id: string;
  /** The status as Stripe names it. */
  readonly status: string;
  readonly priceId: string | null;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly cancelAtPeriodEnd: boolean;
}

/** The result of a checkout page. */
export interface PaidCheckout {
  readonly accountId: string | null;
  readonly isComplete: boolean;
}

/** An event with a valid signature. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  readonly signedAt: Date;
  /** The customer of the event. Null if it has none. */
  readonly customerId: string | null;
}

/** The payment provider, Stripe. All methods except `readEvent` throw `payment_provider_error` when Stripe fails. */
export interface Payments {
  /** Creates the customer of an account. Concurrent calls create only one. */
  createCustomer(accountId: string): Promise<string>;
  /** Closes the customer's open checkouts and creates a new one. */
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
   * Returns the relevant subscription: paid before live before ended, newest first. Null for a customer without one.
   */
  findSubscription(customerId: string): Promise<PaidSubscription | null>;
  /** Deletes the customer and ends its subscriptions at once. A missing customer is not an error. */
  deleteCustomer(customerId: string): Promise<void>;
  /** Throws `invalid_webhook_signature` unless Stripe signed exactly these bytes within the last minutes. */
  readEvent(body: Uint8Array, signature: string, now: Date): PaymentEvent;
}

/** Null without a Stripe key: self-hosted. */
export const PAYMENTS = Symbol('Payments');
