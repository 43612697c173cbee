import { billing, billingCheckout, billingPortal, stripeEventReceipt } from '@gateway/contracts';
import {
  signUpPerson,
  startStack,
  startStripeServer,
  type SignedEvent,
  type StackUnderTest,
  type StripeServer,
  type TestPerson,
} from '@gateway/testing';
import pg from 'pg';
import { send, type Answer } from '../../e2e/http.fixture.ts';
import { eventually, undoAll, type Undo } from '../stack.fixture.ts';

const undo: Undo[] = [];
let stripe: StripeServer;
let stack: StackUnderTest;
let database: pg.Pool;

const plans = [
  { id: 'free', name: 'Free', fee_usd: 0, included_tokens_saved: 1_000_000, usd_per_million_tokens_saved: 0 },
  {
    ...{ id: 'pro', name: 'Pro', fee_usd: 20, included_tokens_saved: null, usd_per_million_tokens_saved: 0 },
    stripe_price_id: 'price_pro',
  },
];

beforeAll(async () => {
  stripe = await startStripeServer({ prices: ['price_pro'] });
  undo.push(() => stripe.close());
  const env = {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
    BILLING_PLANS: JSON.stringify(plans),
  };
  stack = await startStack({
    apps: ['edge-gateway', 'account', 'provider-vault', 'worker', 'billing'],
    env: { billing: env },
  });
  undo.push(() => stack.stop());
  database = new pg.Pool({ connectionString: stack.dev.postgres.billing, max: 2 });
  undo.push(() => database.end());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

const urls = { success_url: 'https://gateway.example/paid', cancel_url: 'https://gateway.example/' };
const act = (person: TestPerson, action: string, body: object = {}) =>
  send(stack.baseUrl, { path: `/v1/billing/${action}`, key: person.accessToken, body });
const checkOut = async (person: TestPerson) => {
  const answer = await act(person, 'create-checkout', { plan_id: 'pro', ...urls });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return billingCheckout.parse(answer.json());
};
const read = async (person: TestPerson) =>
  billing.parse((await send(stack.baseUrl, { path: '/v1/account/billing', key: person.accessToken })).json());
const deliver = ({ body, signature }: Pick<SignedEvent, 'body' | 'signature'>, headers = {}) =>
  send(stack.baseUrl, {
    path: '/v1/billing/webhook',
    body: Buffer.from(body),
    headers: { 'content-type': 'application/json', 'stripe-signature': signature, ...headers },
  });
const codeOf = (answer: Answer) => (answer.json() as { error: { code: string } }).error.code;
const countEvents = async () =>
  (await database.query<{ count: number }>('SELECT count(*)::int AS count FROM stripe_events')).rows[0]!
    .count;

/** Somebody who has paid, of which the gateway does not know yet. */
async function pay(): Promise<{
  person: TestPerson;
  checkoutId: string;
  subscription: ReturnType<StripeServer['pay']>;
}> {
  const person = await signUpPerson(stack.baseUrl);
  const { id } = await checkOut(person);
  return { person, checkoutId: id, subscription: stripe.pay(id) };
}

describe('a subscription', () => {
  it('begins at a checkout, is taken over once paid, and is changed in the portal', async () => {
    const person = await signUpPerson(stack.baseUrl);
    expect(await read(person)).toMatchObject({
      mode: 'stripe',
      plan: { id: 'free', can_subscribe: false },
      subscription: null,
      plans: [{ id: 'free' }, { id: 'pro', can_subscribe: true }],
    });
    expect((await act(person, 'customer-portal', { return_url: urls.cancel_url })).status).toBe(404);
    const { id, url } = await checkOut(person);
    expect(url).toContain(id);
    expect(stripe.state.checkouts.get(id)).toMatchObject({
      ...{ client_reference_id: person.accountId, priceId: 'price_pro' },
      ...urls,
    });
    // Not paid yet, so that nothing changes.
    const early = await act(person, 'sync-checkout', { session_id: id });
    expect(billing.parse(early.json())).toMatchObject({ plan: { id: 'free' }, subscription: null });
    stripe.pay(id);
    for (const _ of [1, 2]) {
      const synced = await act(person, 'sync-checkout', { session_id: id });
      expect(billing.parse(synced.json())).toMatchObject({
        plan: { id: 'pro', fee_usd: 20 },
        subscription: { status: 'active', plan_id: 'pro', cancel_at_period_end: false },
        estimate: { fee_usd: 20, usage_usd: 0, total_usd: 20 },
      });
    }
    const portal = await act(person, 'customer-portal', { return_url: urls.cancel_url });
    expect(billingPortal.parse(portal.json()).url).toMatch(/^https:\/\/billing\.stripe\.test\//);
  });

  it('is asked after by sync-subscription, whatever came of it', async () => {
    const { person, subscription } = await pay();
    expect(billing.parse((await act(person, 'sync-subscription')).json()).plan.id).toBe('pro');
    subscription.cancel_at_period_end = true;
    subscription.status = 'past_due';
    expect(billing.parse((await act(person, 'sync-subscription')).json())).toMatchObject({
      plan: { id: 'pro' },
      subscription: { status: 'past_due', cancel_at_period_end: true },
    });
    subscription.status = 'canceled';
    expect(billing.parse((await act(person, 'sync-subscription')).json())).toMatchObject({
      plan: { id: 'free' },
      subscription: { status: 'canceled' },
    });
    // Nothing to ask of somebody who never checked out.
    const stranger = await signUpPerson(stack.baseUrl);
    expect(billing.parse((await act(stranger, 'sync-subscription')).json()).subscription).toBeNull();
  });

  it('is paid for once: one customer, one open checkout, none beside a subscription', async () => {
    const person = await signUpPerson(stack.baseUrl);
    const first = await checkOut(person);
    const second = await checkOut(person);
    expect(stripe.state.checkouts.get(first.id)?.status).toBe('expired');
    expect(() => stripe.pay(first.id)).toThrow('not open');
    stripe.pay(second.id);
    const third = await act(person, 'create-checkout', { plan_id: 'pro', ...urls });
    expect([third.status, codeOf(third)]).toEqual([409, 'already_subscribed']);
    const customers = [...stripe.state.customers.values()].filter(
      (customer) => customer['metadata[account_id]'] === person.accountId,
    );
    expect(customers).toHaveLength(1);
  });

  it('makes one customer of calls at the same time', async () => {
    const person = await signUpPerson(stack.baseUrl);
    await Promise.all(
      Array.from({ length: 5 }, () => act(person, 'create-checkout', { plan_id: 'pro', ...urls })),
    );
    const customers = [...stripe.state.customers.values()].filter(
      (customer) => customer['metadata[account_id]'] === person.accountId,
    );
    expect(customers).toHaveLength(1);
  });

  it('is nobody else’s: another account’s checkout is not found', async () => {
    const { checkoutId } = await pay();
    const stranger = await signUpPerson(stack.baseUrl);
    for (const session_id of [checkoutId, 'cs_test_nobody']) {
      const answer = await act(stranger, 'sync-checkout', { session_id });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
    }
    expect((await read(stranger)).subscription).toBeNull();
  });

  it.each([
    ['create-checkout', { plan_id: 'nobody', ...urls }, 'plan_id'],
    ['create-checkout', { plan_id: 'free', ...urls }, 'plan_id'],
    ['create-checkout', { plan_id: 'pro', ...urls, success_url: 'javascript:alert(1)' }, 'success_url'],
    ['create-checkout', { plan_id: 'pro' }, 'success_url'],
    ['sync-checkout', { session_id: '../customers' }, 'session_id'],
    ['customer-portal', { return_url: 'nowhere' }, 'return_url'],
    ['sync-subscription', { plan_id: 'pro' }, 'plan_id'],
  ])('%s refuses %j', async (action, body, param) => {
    const person = await signUpPerson(stack.baseUrl);
    const answer = await act(person, action, body);
    expect([answer.status, (answer.json() as { error: { param: string } }).error.param]).toEqual([
      400,
      param,
    ]);
  });

  it('waits while Stripe is away, and says so', async () => {
    const { person } = await pay();
    stripe.setAway(true);
    try {
      const answer = await act(person, 'sync-subscription');
      expect([answer.status, codeOf(answer)]).toEqual([502, 'payment_provider_error']);
      expect(answer.text).not.toContain(stripe.secretKey);
      expect((await read(person)).plan.id).toBe('free');
    } finally {
      stripe.setAway(false);
    }
    expect(billing.parse((await act(person, 'sync-subscription')).json()).plan.id).toBe('pro');
  });
});

describe('an event of Stripe', () => {
  it('is heeded once, and is not believed but asked after', async () => {
    const { person, subscription } = await pay();
    // What it says is old by now.
    const event = stripe.sign('customer.subscription.created', { ...subscription, status: 'incomplete' });
    const first = await deliver(event);
    expect(stripeEventReceipt.parse(first.json())).toEqual({ received: true, duplicate: false });
    expect((await read(person)).plan.id).toBe('pro');
    subscription.status = 'canceled';
    const later = stripe.resign(event, { atMs: Date.now() + 2_000 });
    expect(stripeEventReceipt.parse((await deliver(later)).json())).toEqual({
      received: true,
      duplicate: true,
    });
    expect((await read(person)).plan.id).toBe('pro');
    await deliver(stripe.sign('customer.subscription.deleted', subscription));
    expect((await read(person)).plan.id).toBe('free');
  });

  it('is taken once of many at the same time', async () => {
    const { person, subscription } = await pay();
    const event = stripe.sign('customer.subscription.created', subscription);
    const before = await countEvents();
    const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(event)));
    const taken = answers
      .filter(({ status }) => status === 200)
      .map((answer) => stripeEventReceipt.parse(answer.json()));
    expect(taken.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect((await countEvents()) - before).toBe(1);
    expect((await read(person)).plan.id).toBe('pro');
  });

  it('is refused without a good signature over its very bytes, and changes nothing', async () => {
    const { person, subscription } = await pay();
    const event = stripe.sign('customer.subscription.created', subscription);
    const [time = '', signed = ''] = event.signature.split(',');
    const before = await countEvents();
    const minutes = 60_000;
    const forged: Pick<SignedEvent, 'body' | 'signature'>[] = [
      { ...event, signature: '' },
      { ...event, signature: 'v1=00' },
      { ...event, signature: `${time},v1=${'0'.repeat(64)}` },
      { ...event, signature: `${time},${signed.replace('v1', 'v0')}` },
      { ...event, signature: `t=${Math.floor(Date.now() / 1000) + 9},${signed}` },
      { ...event, body: event.body.replace('active', 'actiVe') },
      // The same JSON, in other bytes.
      { ...event, body: JSON.stringify(JSON.parse(event.body)) },
      stripe.resign(event, { secret: 'whsec_of_somebody_else' }),
      stripe.resign(event, { secret: '' }),
      stripe.resign(event, { atMs: Date.now() - 6 * minutes }),
      stripe.resign(event, { atMs: Date.now() + 6 * minutes }),
    ];
    for (const each of forged) {
      const answer = await deliver(each);
      expect([each.signature, answer.status, codeOf(answer)]).toEqual([
        each.signature,
        400,
        'invalid_webhook_signature',
      ]);
    }
    expect(await countEvents()).toBe(before);
    expect((await read(person)).plan.id).toBe('free');
  });

  it('is refused as a replay when the same delivery comes again', async () => {
    const { subscription } = await pay();
    const event = stripe.sign('invoice.paid', {
      id: 'in_1',
      object: 'invoice',
      customer: subscription.customer,
    });
    expect((await deliver(event)).status).toBe(200);
    for (const _ of [1, 2]) {
      const replay = await deliver(event);
      expect([replay.status, codeOf(replay)]).toEqual([400, 'invalid_webhook_signature']);
    }
  });

  it('comes again when it could not be heeded', async () => {
    const { person, subscription } = await pay();
    const event = stripe.sign('customer.subscription.created', subscription);
    stripe.setAway(true);
    try {
      expect((await deliver(event)).status).toBe(502);
    } finally {
      stripe.setAway(false);
    }
    expect((await read(person)).plan.id).toBe('free');
    const again = await deliver(stripe.resign(event, { atMs: Date.now() + 1_000 }));
    expect(stripeEventReceipt.parse(again.json())).toEqual({ received: true, duplicate: false });
    expect((await read(person)).plan.id).toBe('pro');
  });

  it('is acknowledged when it is of no concern here', async () => {
    const calls = stripe.calls.length;
    for (const [type, object] of [
      ['charge.succeeded', { id: 'ch_1', object: 'charge', customer: 'cus_nobody' }],
      ['customer.subscription.created', { id: 'sub_1', object: 'subscription', customer: 'cus_nobody' }],
      ['invoice.paid', { id: 'in_2', object: 'invoice', customer: null }],
    ] as const)
      expect((await deliver(stripe.sign(type, object))).status).toBe(200);
    expect(stripe.calls).toHaveLength(calls);
  });

  it('is bounded, and JSON', async () => {
    const event = stripe.sign('invoice.paid', { id: 'in_3', text: 'x'.repeat(600_000) });
    expect((await deliver(event)).status).toBe(413);
    const small = stripe.sign('invoice.paid', { id: 'in_4' });
    expect((await deliver(small, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('is not lost by a service that is killed while it heeds it', async () => {
    const { person, subscription } = await pay();
    const event = stripe.sign('customer.subscription.created', subscription);
    const cut = deliver(event).catch(() => null);
    await stack.service('billing').kill('SIGKILL');
    await cut;
    await stack.service('billing').start();
    const again = await eventually(async () => {
      const answer = await deliver(stripe.resign(event, { atMs: Date.now() + 2_000 }));
      return answer.status === 200 ? answer : undefined;
    }, 20_000);
    expect(stripeEventReceipt.parse(again.json()).received).toBe(true);
    expect((await read(person)).plan.id).toBe('pro');
  }, 60_000);
});

it('a deleted account’s subscription ends at Stripe, and nothing names it here', async () => {
  const { person, subscription } = await pay();
  await act(person, 'sync-subscription');
  const { customer } = subscription;
  stripe.setAway(true);
  const answer = await send(stack.baseUrl, {
    method: 'DELETE',
    path: '/v1/account/me',
    key: person.accessToken,
  });
  const { id } = answer.json() as { id: string };
  const receipt = async () =>
    (await send(stack.baseUrl, { path: `/v1/account/deletions/${id}` })).json() as { status: string };
  try {
    // It waits for Stripe: nobody may go on paying for what is gone.
    await eventually(
      () => (stripe.calls.some(({ method }) => method === 'DELETE') ? true : undefined),
      20_000,
    );
    expect((await receipt()).status).toBe('pending');
  } finally {
    stripe.setAway(false);
  }
  await eventually(async () => ((await receipt()).status === 'done' ? true : undefined), 40_000);
  expect(stripe.state.customers.has(customer)).toBe(false);
  expect(subscription.status).toBe('canceled');
  const named = 'SELECT count(*)::int AS count FROM stripe_customers WHERE account_id = $1';
  expect((await database.query(named, [person.accountId])).rows).toEqual([{ count: 0 }]);
  // Stripe tells of it; there is nobody any more whom it could be about.
  expect((await deliver(stripe.sign('customer.subscription.deleted', subscription))).status).toBe(200);
}, 90_000);

test('neither the key nor the webhook’s secret is in any log', () => {
  for (const name of Object.keys(stack.dev.services)) {
    const log = stack.logs(name);
    for (const secret of [stripe.secretKey, stripe.webhookSecret])
      expect({ name, leaked: log.includes(secret) }).toEqual({ name, leaked: false });
  }
});
