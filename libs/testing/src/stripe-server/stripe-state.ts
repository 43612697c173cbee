import { randomUUID } from 'node:crypto';

export type Fields = Readonly<Record<string, string>>;

/** An API response, which is a Stripe object or an error. */
export interface StripeAnswer {
  readonly status: number;
  readonly body: object;
}

export interface StripeCheckout {
  readonly id: string;
  readonly object: 'checkout.session';
  readonly customer: string;
  readonly client_reference_id: string | null;
  readonly priceId: string;
  readonly success_url: string;
  readonly cancel_url: string;
  readonly url: string;
  status: 'open' | 'complete' | 'expired';
}

export interface StripeSubscription {
  readonly id: string;
  readonly object: 'subscription';
  readonly customer: string;
  readonly created: number;
  status: string;
  cancel_at_period_end: boolean;
  items: {
    object: 'list';
    data: {
      id: string;
      price: { id: string };
      current_period_start: number;
      current_period_end: number;
    }[];
  };
}

const monthSeconds = 30 * 86_400;
const newStripeId = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`;
const ok = (body: object): StripeAnswer => ({ status: 200, body });
const list = (data: readonly object[]) => ok({ object: 'list', data, has_more: false });

function missing(id: string): StripeAnswer {
  const message = `No such object: '${id}'`;
  return {
    status: 404,
    body: { error: { type: 'invalid_request_error', code: 'resource_missing', message } },
  };
}

function invalid(message: string): StripeAnswer {
  return { status: 400, body: { error: { type: 'invalid_request_error', message } } };
}

/** The part of Stripe's state that the gateway reads (customers, checkouts and subscriptions). */
export class StripeState {
  readonly customers = new Map<string, Fields>();
  readonly checkouts = new Map<string, StripeCheckout>();
  /** The subscriptions in the order in which Stripe lists objects, newest first. */
  readonly subscriptions: StripeSubscription[] = [];
  readonly prices: ReadonlySet<string>;

  constructor(prices: readonly string[]) {
    this.prices = new Set(prices);
  }

  createCustomer(fields: Fields): StripeAnswer {
    const id = newStripeId('cus');
    this.customers.set(id, fields);
    return ok({ id, object: 'customer', metadata: { account_id: fields['metadata[account_id]'] } });
  }

  /** Stripe cancels a deleted customer's subscriptions. */
  deleteCustomer(id: string): StripeAnswer {
    if (!this.customers.delete(id)) return missing(id);
    for (const each of this.subscriptions) if (each.customer === id) each.status = 'canceled';
    return ok({ id, object: 'customer', deleted: true });
  }

  createCheckout(fields: Fields): StripeAnswer {
    const { customer = '', success_url = '', cancel_url = '' } = fields;
    const priceId = fields['line_items[0][price]'] ?? '';
    if (!this.customers.has(customer)) return missing(customer);
    if (!this.prices.has(priceId)) return missing(priceId);
    if (fields['mode'] !== 'subscription' || success_url === '') return invalid('a checkout of what?');
    const id = newStripeId('cs_test');
    const checkout: StripeCheckout = {
      ...{ id, object: 'checkout.session', customer, priceId, success_url, cancel_url },
      client_reference_id: fields['client_reference_id'] ?? null,
      url: `https://checkout.stripe.test/c/pay/${id}`,
      status: 'open',
    };
    this.checkouts.set(id, checkout);
    return ok(checkout);
  }

  findCheckout(id: string): StripeAnswer {
    const checkout = this.checkouts.get(id);
    return checkout ? ok(checkout) : missing(id);
  }

  listCheckouts({ customer, status }: Fields): StripeAnswer {
    const all = [...this.checkouts.values()].filter((each) => each.customer === customer);
    return list(all.filter((each) => status === undefined || each.status === status));
  }

  expireCheckout(id: string): StripeAnswer {
    const checkout = this.checkouts.get(id);
    if (checkout?.status !== 'open') return checkout ? invalid('it is not open') : missing(id);
    checkout.status = 'expired';
    return ok(checkout);
  }

  openPortal({ customer = '', return_url = '' }: Fields): StripeAnswer {
    if (!this.customers.has(customer)) return missing(customer);
    const id = newStripeId('bps');
    const url = `https://billing.stripe.test/p/session/${id}`;
    return ok({ id, object: 'billing_portal.session', customer, return_url, url });
  }

  listSubscriptions({ customer = '' }: Fields): StripeAnswer {
    if (!this.customers.has(customer)) return missing(customer);
    return list(this.subscriptions.filter((each) => each.customer === customer));
  }

  /** Simulates the completion of the checkout page. */
  pay(checkoutId: string): StripeSubscription {
    const checkout = this.checkouts.get(checkoutId);
    if (checkout?.status !== 'open') throw new Error(`the checkout ${checkoutId} is not open`);
    checkout.status = 'complete';
    const now = Math.floor(Date.now() / 1000);
    const period = { current_period_start: now, current_period_end: now + monthSeconds };
    const item = { id: newStripeId('si'), price: { id: checkout.priceId }, ...period };
    const subscription: StripeSubscription = {
      ...{ id: newStripeId('sub'), object: 'subscription', customer: checkout.customer, created: now },
      status: 'active',
      cancel_at_period_end: false,
      items: { object: 'list', data: [item] },
    };
    this.subscriptions.unshift(subscription);
    return subscription;
  }
}
