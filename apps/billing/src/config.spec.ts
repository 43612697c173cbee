import { loadConfig } from './config.ts';

const complete = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'billing',
  NATS_PASSWORD: 'x',
  HEALTH_PORT: '0',
  BILLING_DATABASE_URL: 'postgresql://billing:x@127.0.0.1/billing',
  REDIS_URL: 'redis://127.0.0.1:6379',
};
const withStripe = { ...complete, STRIPE_SECRET_KEY: 'sk_test_0123456789' };

describe('the billing service configuration', () => {
  it('is valid without Stripe settings', () => {
    expect(loadConfig(complete)).toMatchObject({ STRIPE_API_URL: 'https://api.stripe.com' });
    expect(loadConfig(complete).STRIPE_SECRET_KEY).toBeUndefined();
  });

  it.each([undefined, '', 'short'])('rejects a Stripe key with the webhook secret %p', (secret) => {
    const start = () => loadConfig({ ...withStripe, STRIPE_WEBHOOK_SECRET: secret });
    expect(start).toThrow('STRIPE_WEBHOOK_SECRET');
    expect(start).not.toThrow('sk_test');
  });

  it.each(['nonsense', '{}', '[]', '[{"id":"a"}]', '[{"id":"a","name":"A","fee_usd":-1}]'])(
    'rejects the plans %s',
    (plans) => {
      expect(() => loadConfig({ ...complete, BILLING_PLANS: plans })).toThrow('BILLING_PLANS');
    },
  );

  it('rejects two plans with the same id or the same price', () => {
    const plan = {
      id: 'a',
      name: 'A',
      fee_usd: 1,
      included_tokens_saved: 0,
      usd_per_million_tokens_saved: 1,
    };
    const priced = { ...plan, stripe_price_id: 'price_1' };
    for (const plans of [
      [plan, plan],
      [priced, { ...priced, id: 'b' }],
    ]) {
      expect(() => loadConfig({ ...complete, BILLING_PLANS: JSON.stringify(plans) })).toThrow(
        'BILLING_PLANS',
      );
    }
    expect(loadConfig({ ...complete, BILLING_PLANS: JSON.stringify([priced]) }).BILLING_PLANS).toEqual([
      priced,
    ]);
  });
});
