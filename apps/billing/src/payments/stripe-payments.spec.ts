import { createHmac } from 'node:crypto';
import { startStripeServer, type StripeServer } from '@gateway/testing';
import { parseSignedAt, StripePayments } from './stripe-payments.adapter.ts';

const webhookSecret = 'whsec_0123456789';
const payments = new StripePayments({
  ...{ secretKey: 'sk_test_0123456789', webhookSecret },
  apiUrl: 'http://127.0.0.1:9',
});
const now = new Date('2026-11-20T12:00:00Z');
const body = JSON.stringify({
  ...{ id: 'evt_1', object: 'event', type: 'invoice.paid' },
  data: { object: { id: 'in_1', object: 'invoice', customer: 'cus_1' } },
});

function sign(text: string, at: Date, secret = webhookSecret): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex')}`;
}
const readAt = (at: Date, text = body) => payments.readEvent(Buffer.from(body), sign(text, at), now);
const minutesOff = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

describe('a Stripe signature', () => {
  test.each([-5, -4, 0, 4, 5])('is accepted if it is dated %i minutes from now', (minutes) => {
    expect(readAt(minutesOff(minutes))).toEqual({
      ...{ id: 'evt_1', type: 'invoice.paid', customerId: 'cus_1' },
      signedAt: minutesOff(minutes),
    });
  });

  test.each([-6, 6, -1_000_000])('is rejected if it is dated %i minutes from now', (minutes) => {
    expect(() => readAt(minutesOff(minutes))).toThrow('signature');
  });

  test('is rejected if the body has changed', () => {
    expect(() => readAt(now, `${body} `)).toThrow('signature');
  });

  test.each(['', 't=', 't=x,v1=00', 'v1=00', `t=${now.getTime() / 1000}`])(
    'is rejected when it is %p',
    (signature) => {
      expect(() => payments.readEvent(Buffer.from(body), signature, now)).toThrow('signature');
    },
  );

  test('contains the signing time', () => {
    expect(parseSignedAt('v1=00,t=1,v0=00')).toEqual(new Date(1000));
    expect(parseSignedAt('xt=1')).toBeNull();
  });
});

test.each(['', ' '])(
  'an empty webhook secret (%p) is rejected, because anyone could sign events with it',
  (secret) => {
    const open = () =>
      new StripePayments({ secretKey: 'sk_test_1', webhookSecret: secret, apiUrl: 'http://127.0.0.1:9' });
    expect(open).toThrow('webhook secret');
  },
);

describe('the most relevant subscription of a customer', () => {
  let stripe: StripeServer;
  beforeAll(async () => (stripe = await startStripeServer({ prices: ['price_pro'] })));
  afterAll(() => stripe.close());

  test.each([
    ['the newest', ['active', 'past_due'], 1],
    ['a live one before an ended one', ['unpaid', 'canceled'], 0],
    ['a paid one before an incomplete one', ['active', 'incomplete'], 0],
    ['a paid one before a paused one', ['past_due', 'paused', 'canceled'], 0],
    ['the newest of the ended ones', ['canceled', 'incomplete_expired'], 1],
  ])('is %s', async (_, statuses, at) => {
    const { url: apiUrl, secretKey } = stripe;
    const server = new StripePayments({ secretKey, webhookSecret, apiUrl });
    const accountId = `account-${statuses.join('-')}`;
    const customerId = await server.createCustomer(accountId);
    const urls = { successUrl: 'https://gateway.example/', cancelUrl: 'https://gateway.example/' };
    const ids: string[] = [];
    for (const status of statuses) {
      const { id } = await server.createCheckout({ accountId, customerId, priceId: 'price_pro', ...urls });
      const subscription = stripe.pay(id);
      subscription.status = status;
      ids.push(subscription.id);
    }
    expect(await server.findSubscription(customerId)).toMatchObject({ id: ids[at], status: statuses[at] });
  });
});
