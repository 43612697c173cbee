import { billing, billingPortal } from '@gateway/contracts';
import { signUpPerson } from '@gateway/testing';
import pg from 'pg';
import { send } from '../../e2e/http.fixture.ts';
import { eventually, undoAll, type Undo } from '../stack.fixture.ts';
import { codeOf, startChargingStack, urls, type ChargingStack } from './stripe.fixture.ts';

const undo: Undo[] = [];
let charging: ChargingStack;
let database: pg.Pool;

beforeAll(async () => {
  charging = await startChargingStack(undo);
  database = new pg.Pool({ connectionString: charging.stack.dev.postgres.billing, max: 2 });
  undo.push(() => database.end());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

describe('a subscription', () => {
  it('a subscription starts with a checkout, takes effect after the payment, and can be changed in the portal', async () => {
    const person = await signUpPerson(charging.stack.baseUrl);
    expect(await charging.read(person)).toMatchObject({
      mode: 'stripe',
      plan: { id: 'free', can_subscribe: false },
      subscription: null,
      plans: [{ id: 'free' }, { id: 'pro', can_subscribe: true }],
    });
    expect((await charging.act(person, 'customer-portal', { return_url: urls.cancel_url })).status).toBe(404);
    const { id, url } = await charging.checkOut(person);
    expect(url).toContain(id);
    expect(charging.stripe.state.checkouts.get(id)).toMatchObject({
      ...{ client_reference_id: person.accountId, priceId: 'price_pro' },
      ...urls,
    });
    // Before the user completes the checkout, the action `sync-checkout` changes nothing.
    const early = await charging.act(person, 'sync-checkout', { session_id: id });
    expect(billing.parse(early.json())).toMatchObject({ plan: { id: 'free' }, subscription: null });
    charging.stripe.pay(id);
    for (let times = 0; times < 2; times++) {
      const synced = await charging.act(person, 'sync-checkout', { session_id: id });
      expect(billing.parse(synced.json())).toMatchObject({
        plan: { id: 'pro', fee_usd: 20 },
        subscription: { status: 'active', plan_id: 'pro', cancel_at_period_end: false },
        estimate: { fee_usd: 20, usage_usd: 0, total_usd: 20 },
      });
    }
    const portal = await charging.act(person, 'customer-portal', { return_url: urls.cancel_url });
    expect(billingPortal.parse(portal.json()).url).toMatch(/^https:\/\/billing\.stripe\.test\//);
  });

  it('sync-subscription fetches a subscription in any state', async () => {
    const { person, subscription } = await charging.pay();
    expect(billing.parse((await charging.act(person, 'sync-subscription')).json()).plan.id).toBe('pro');
    subscription.cancel_at_period_end = true;
    subscription.status = 'past_due';
    expect(billing.parse((await charging.act(person, 'sync-subscription')).json())).toMatchObject({
      plan: { id: 'pro' },
      subscription: { status: 'past_due', cancel_at_period_end: true },
    });
    subscription.status = 'canceled';
    expect(billing.parse((await charging.act(person, 'sync-subscription')).json())).toMatchObject({
      plan: { id: 'free' },
      subscription: { status: 'canceled' },
    });
    // A user without a checkout has no subscription to fetch.
    const stranger = await signUpPerson(charging.stack.baseUrl);
    expect(billing.parse((await charging.act(stranger, 'sync-subscription')).json()).subscription).toBeNull();
  });

  it('a user pays for one subscription only: one customer, one open checkout, no second subscription', async () => {
    const person = await signUpPerson(charging.stack.baseUrl);
    const first = await charging.checkOut(person);
    const second = await charging.checkOut(person);
    expect(charging.stripe.state.checkouts.get(first.id)?.status).toBe('expired');
    expect(() => charging.stripe.pay(first.id)).toThrow('not open');
    charging.stripe.pay(second.id);
    const third = await charging.act(person, 'create-checkout', { plan_id: 'pro', ...urls });
    expect([third.status, codeOf(third)]).toEqual([409, 'already_subscribed']);
    const customers = [...charging.stripe.state.customers.values()].filter(
      (customer) => customer['metadata[account_id]'] === person.accountId,
    );
    expect(customers).toHaveLength(1);
  });

  it('concurrent calls create only one customer', async () => {
    const person = await signUpPerson(charging.stack.baseUrl);
    await Promise.all(
      Array.from({ length: 5 }, () => charging.act(person, 'create-checkout', { plan_id: 'pro', ...urls })),
    );
    const customers = [...charging.stripe.state.customers.values()].filter(
      (customer) => customer['metadata[account_id]'] === person.accountId,
    );
    expect(customers).toHaveLength(1);
  });

  it('the checkout of another account is not found', async () => {
    const { checkoutId } = await charging.pay();
    const stranger = await signUpPerson(charging.stack.baseUrl);
    for (const session_id of [checkoutId, 'cs_test_nobody']) {
      const answer = await charging.act(stranger, 'sync-checkout', { session_id });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
    }
    expect((await charging.read(stranger)).subscription).toBeNull();
  });

  it.each([
    ['create-checkout', { plan_id: 'nobody', ...urls }, 'plan_id'],
    ['create-checkout', { plan_id: 'free', ...urls }, 'plan_id'],
    ['create-checkout', { plan_id: 'pro', ...urls, success_url: 'javascript:alert(1)' }, 'success_url'],
    ['create-checkout', { plan_id: 'pro' }, 'success_url'],
    ['sync-checkout', { session_id: '../customers' }, 'session_id'],
    ['customer-portal', { return_url: 'nowhere' }, 'return_url'],
    ['sync-subscription', { plan_id: 'pro' }, 'plan_id'],
  ])('%s refuses the request %j', async (action, body, param) => {
    const person = await signUpPerson(charging.stack.baseUrl);
    const answer = await charging.act(person, action, body);
    expect([answer.status, (answer.json() as { error: { param: string } }).error.param]).toEqual([
      400,
      param,
    ]);
  });

  it('while Stripe is down, a subscription stays unchanged and the call reports the outage', async () => {
    const { person } = await charging.pay();
    charging.stripe.setAway(true);
    try {
      const answer = await charging.act(person, 'sync-subscription');
      expect([answer.status, codeOf(answer)]).toEqual([502, 'payment_provider_error']);
      expect(answer.text).not.toContain(charging.stripe.secretKey);
      expect((await charging.read(person)).plan.id).toBe('free');
    } finally {
      charging.stripe.setAway(false);
    }
    expect(billing.parse((await charging.act(person, 'sync-subscription')).json()).plan.id).toBe('pro');
  });
});

it('the subscription of a deleted account is canceled at Stripe, and no remaining data names the account', async () => {
  const { person, subscription } = await charging.pay();
  await charging.act(person, 'sync-subscription');
  const { customer } = subscription;
  charging.stripe.setAway(true);
  const answer = await send(charging.stack.baseUrl, {
    method: 'DELETE',
    path: '/v1/account/me',
    key: person.accessToken,
  });
  const { id } = answer.json() as { id: string };
  const receipt = async () =>
    (await send(charging.stack.baseUrl, { path: `/v1/account/deletions/${id}` })).json() as {
      status: string;
    };
  try {
    // Account deletion waits for Stripe, so a deleted account is never charged.
    await eventually(() =>
      charging.stripe.calls.some(({ method }) => method === 'DELETE') ? true : undefined,
    );
    expect((await receipt()).status).toBe('pending');
  } finally {
    charging.stripe.setAway(false);
  }
  await eventually(async () => ((await receipt()).status === 'done' ? true : undefined), 40_000);
  expect(charging.stripe.state.customers.has(customer)).toBe(false);
  expect(subscription.status).toBe('canceled');
  const named = 'SELECT count(*)::int AS count FROM stripe_customers WHERE account_id = $1';
  expect((await database.query(named, [person.accountId])).rows).toEqual([{ count: 0 }]);
  // After the account's deletion, Stripe sends an event for the cancelled subscription.
  expect(
    (await charging.deliver(charging.stripe.sign('customer.subscription.deleted', subscription))).status,
  ).toBe(200);
}, 90_000);

test('no log contains the API key or the webhook secret', () => {
  for (const name of Object.keys(charging.stack.dev.services)) {
    const log = charging.stack.logs(name);
    for (const secret of [charging.stripe.secretKey, charging.stripe.webhookSecret])
      expect({ name, leaked: log.includes(secret) }).toEqual({ name, leaked: false });
  }
});
