import { GatewayError } from '@gateway/errors';
import Stripe from 'stripe';
import { isPaying } from '../plans/plans.ts';
import type { PaidCheckout, PaidSubscription, PaymentEvent, Payments } from './payments.port.ts';

/**
 * Timeout of one call to Stripe, in milliseconds. A call to Stripe and its single retry fit within the
 * deadline of the RPC contracts.
 */
const callTimeoutMs = 10_000;
/**
 * Maximum age of a Stripe signature, and maximum time by which Stripe's clock may be ahead. Stripe
 * recommends a maximum age of five minutes.
 */
const toleranceSeconds = 300;
/** Maximum number of subscriptions that are read per customer. In practice, no customer has so many. */
const subscriptionsMax = 100;
/**
 * Maximum number of open checkout pages that are read per customer. A customer usually has one open checkout
 * page, but concurrent calls can create more.
 */
const openCheckoutsMax = 10;
const endedStatuses = ['canceled', 'incomplete_expired'];

interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Base URL of the Stripe API. */
  readonly apiUrl: string;
}

/** The payments adapter for Stripe, based on Stripe's SDK. */
export class StripePayments implements Payments {
  readonly #stripe: Stripe;
  readonly #webhookSecret: string;

  /** Throws an error if the webhook secret is empty, because anyone could then sign Stripe events. */
  constructor({ secretKey, webhookSecret, apiUrl }: StripeSettings) {
    if (webhookSecret.trim() === '') throw new Error('the webhook secret is empty');
    const url = new URL(apiUrl);
    this.#webhookSecret = webhookSecret;
    this.#stripe = new Stripe(secretKey, {
      host: url.hostname,
      port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
      protocol: url.protocol === 'http:' ? 'http' : 'https',
      timeout: callTimeoutMs,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }

  async createCustomer(accountId: string): Promise<string> {
    const customer = await ask(
      this.#stripe.customers.create(
        { metadata: { account_id: accountId } },
        { idempotencyKey: `customer-${accountId}` },
      ),
    );
    return customer.id;
  }

  async createCheckout({
    accountId,
    customerId,
    priceId,
    successUrl,
    cancelUrl,
  }: Parameters<Payments['createCheckout']>[0]): Promise<{ id: string; url: string }> {
    await this.#closeCheckouts(customerId);
    const session = await ask(
      this.#stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: customerId,
        client_reference_id: accountId,
        line_items: [{ price: priceId, quantity: 1 }],
        success_url: successUrl,
        cancel_url: cancelUrl,
        subscription_data: { metadata: { account_id: accountId } },
      }),
    );
    if (!session.url) throw new GatewayError('payment_provider_error', { detail: 'checkout without url' });
    return { id: session.id, url: session.url };
  }

  /** A person with two open checkout pages could pay twice. */
  async #closeCheckouts(customer: string): Promise<void> {
    const { sessions } = this.#stripe.checkout;
    const open = await ask(sessions.list({ customer, status: 'open', limit: openCheckoutsMax }));
    for (const { id } of open.data) await ask(sessions.expire(id));
  }

  async openPortal(customerId: string, returnUrl: string): Promise<string> {
    const session = await ask(
      this.#stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl }),
    );
    return session.url;
  }

  async findCheckout(id: string): Promise<PaidCheckout | null> {
    const session = await unlessMissing(ask(this.#stripe.checkout.sessions.retrieve(id)));
    return session && { accountId: session.client_reference_id, isComplete: session.status === 'complete' };
  }

  async findSubscription(customerId: string): Promise<PaidSubscription | null> {
    const found = await unlessMissing(
      ask(this.#stripe.subscriptions.list({ customer: customerId, status: 'all', limit: subscriptionsMax })),
    );
    // Stripe lists the newest subscription first, but a new, incomplete subscription must not hide an older, paid one.
    const all = found?.data ?? [];
    const subscription =
      all.find(({ status }) => isPaying(status)) ??
      all.find(({ status }) => !endedStatuses.includes(status)) ??
      all[0];
    return subscription === undefined ? null : renderSubscription(subscription);
  }

  async deleteCustomer(customerId: string): Promise<void> {
    await unlessMissing(ask(this.#stripe.customers.del(customerId)));
  }

  readEvent(body: Uint8Array, signature: string, now: Date): PaymentEvent {
    const signedAt = parseSignedAt(signature);
    if (signedAt === null) throw new GatewayError('invalid_webhook_signature');
    // Stripe's SDK rejects old signatures, but accepts signatures with a time in the future.
    if (signedAt.getTime() - now.getTime() > toleranceSeconds * 1000)
      throw new GatewayError('invalid_webhook_signature', { detail: 'signed in the future' });
    const event = this.#verify(body, signature, now);
    const { object } = event.data;
    const customer = 'customer' in object ? object.customer : null;
    return { id: event.id, type: event.type, signedAt, customerId: renderCustomerId(customer) };
  }

  #verify(body: Uint8Array, signature: string, now: Date): Stripe.Event {
    try {
      return this.#stripe.webhooks.constructEvent(
        Buffer.from(body),
        signature,
        this.#webhookSecret,
        toleranceSeconds,
        undefined,
        now.getTime(),
      );
    } catch {
      throw new GatewayError('invalid_webhook_signature');
    }
  }
}

function renderSubscription(subscription: Stripe.Subscription): PaidSubscription {
  const [item] = subscription.items.data;
  const atSeconds = (seconds: number | undefined) => new Date((seconds ?? subscription.created) * 1000);
  return {
    id: subscription.id,
    status: subscription.status,
    priceId: item?.price.id ?? null,
    currentPeriodStart: atSeconds(item?.current_period_start),
    currentPeriodEnd: atSeconds(item?.current_period_end),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
  };
}

/**
 * By default, Stripe returns only the id of a customer. If the request expands the customer, Stripe returns
 * the complete customer object.
 */
function renderCustomerId(customer: unknown): string | null {
  if (typeof customer === 'string') return customer;
  if (typeof customer !== 'object' || customer === null || !('id' in customer)) return null;
  return typeof customer.id === 'string' ? customer.id : null;
}

class Missing extends GatewayError {
  constructor() {
    super('not_found');
  }
}

/** The error contains only codes, because Stripe's messages can contain keys and customer data. */
async function ask<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (error.code === 'resource_missing') throw new Missing();
    throw new GatewayError('payment_provider_error', {
      detail: `${error.type} ${error.code ?? ''} ${error.statusCode ?? 'no answer'}`,
    });
  }
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Missing) return null;
    throw error;
  }
}

/**
 * Parses the signing time in a `Stripe-Signature` header (`t=…`, Unix seconds). Null for an invalid
 * header.
 */
export function parseSignedAt(signature: string): Date | null {
  const seconds = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1];
  return seconds === undefined ? null : new Date(Number(seconds) * 1000);
}
