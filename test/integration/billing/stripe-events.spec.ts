import { stripeEventReceipt } from '@gateway/contracts';
import type { SignedEvent } from '@gateway/testing';
import pg from 'pg';
import { eventually, undoAll, type Undo } from '../stack.fixture.ts';
import { codeOf, startChargingStack, type ChargingStack } from './stripe.fixture.ts';

const undo: Undo[] = [];
let charging: ChargingStack;
let database: pg.Pool;

beforeAll(async () => {
  charging = await startChargingStack(undo);
  database = new pg.Pool({ connectionString: charging.stack.dev.postgres.billing, max: 2 });
  undo.push(() => database.end());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

const countEvents = async () =>
  (await database.query<{ count: number }>('SELECT count(*)::int AS count FROM stripe_events')).rows[0]!
    .count;

describe('a Stripe event', () => {
  it('a Stripe event is processed once, and the gateway fetches the event’s current content from Stripe', async () => {
    const { person, subscription } = await charging.pay();
    // The event's content is out of date when Stripe delivers it.
    const event = charging.stripe.sign('customer.subscription.created', {
      ...subscription,
      status: 'incomplete',
    });
    const first = await charging.deliver(event);
    expect(stripeEventReceipt.parse(first.json())).toEqual({ received: true, duplicate: false });
    expect((await charging.read(person)).plan.id).toBe('pro');
    subscription.status = 'canceled';
    const later = charging.stripe.resign(event, { atMs: Date.now() + 2_000 });
    expect(stripeEventReceipt.parse((await charging.deliver(later)).json())).toEqual({
      received: true,
      duplicate: true,
    });
    expect((await charging.read(person)).plan.id).toBe('pro');
    await charging.deliver(charging.stripe.sign('customer.subscription.deleted', subscription));
    expect((await charging.read(person)).plan.id).toBe('free');
  });

  it('a Stripe event is processed once even if many copies arrive concurrently', async () => {
    const { person, subscription } = await charging.pay();
    const event = charging.stripe.sign('customer.subscription.created', subscription);
    const before = await countEvents();
    const answers = await Promise.all(Array.from({ length: 8 }, () => charging.deliver(event)));
    const taken = answers
      .filter(({ status }) => status === 200)
      .map((answer) => stripeEventReceipt.parse(answer.json()));
    expect(taken.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect((await countEvents()) - before).toBe(1);
    expect((await charging.read(person)).plan.id).toBe('pro');
  });

  it('a Stripe event is rejected without a valid signature over its exact bytes, and changes nothing', async () => {
    const { person, subscription } = await charging.pay();
    const event = charging.stripe.sign('customer.subscription.created', subscription);
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
      // The same JSON content with different bytes, which makes the signature invalid.
      { ...event, body: JSON.stringify(JSON.parse(event.body)) },
      charging.stripe.resign(event, { secret: 'whsec_of_somebody_else' }),
      charging.stripe.resign(event, { secret: '' }),
      charging.stripe.resign(event, { atMs: Date.now() - 6 * minutes }),
      charging.stripe.resign(event, { atMs: Date.now() + 6 * minutes }),
    ];
    for (const each of forged) {
      const answer = await charging.deliver(each);
      expect([each.signature, answer.status, codeOf(answer)]).toEqual([
        each.signature,
        400,
        'invalid_webhook_signature',
      ]);
    }
    expect(await countEvents()).toBe(before);
    expect((await charging.read(person)).plan.id).toBe('free');
  });

  it('a Stripe event is rejected as a replay if one delivery arrives twice', async () => {
    const { subscription } = await charging.pay();
    const event = charging.stripe.sign('invoice.paid', {
      id: 'in_1',
      object: 'invoice',
      customer: subscription.customer,
    });
    expect((await charging.deliver(event)).status).toBe(200);
    for (let times = 0; times < 2; times++) {
      const replay = await charging.deliver(event);
      expect([replay.status, codeOf(replay)]).toEqual([400, 'invalid_webhook_signature']);
    }
  });

  it('a Stripe event is delivered again if processing failed', async () => {
    const { person, subscription } = await charging.pay();
    const event = charging.stripe.sign('customer.subscription.created', subscription);
    charging.stripe.setAway(true);
    try {
      expect((await charging.deliver(event)).status).toBe(502);
    } finally {
      charging.stripe.setAway(false);
    }
    expect((await charging.read(person)).plan.id).toBe('free');
    const again = await charging.deliver(charging.stripe.resign(event, { atMs: Date.now() + 1_000 }));
    expect(stripeEventReceipt.parse(again.json())).toEqual({ received: true, duplicate: false });
    expect((await charging.read(person)).plan.id).toBe('pro');
  });

  it('a Stripe event is acknowledged even if the event does not concern this gateway', async () => {
    const calls = charging.stripe.calls.length;
    for (const [type, object] of [
      ['charge.succeeded', { id: 'ch_1', object: 'charge', customer: 'cus_nobody' }],
      ['customer.subscription.created', { id: 'sub_1', object: 'subscription', customer: 'cus_nobody' }],
      ['invoice.paid', { id: 'in_2', object: 'invoice', customer: null }],
    ] as const)
      expect((await charging.deliver(charging.stripe.sign(type, object))).status).toBe(200);
    expect(charging.stripe.calls).toHaveLength(calls);
  });

  it('a Stripe event must be JSON within the size limit', async () => {
    const event = charging.stripe.sign('invoice.paid', { id: 'in_3', text: 'x'.repeat(600_000) });
    expect((await charging.deliver(event)).status).toBe(413);
    const small = charging.stripe.sign('invoice.paid', { id: 'in_4' });
    expect((await charging.deliver(small, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('a Stripe event is not lost if the billing service is killed while processing the event', async () => {
    const { person, subscription } = await charging.pay();
    const event = charging.stripe.sign('customer.subscription.created', subscription);
    // The edge responds only after a timeout, so the test does not wait for the response.
    void charging.deliver(event).catch(() => null);
    await charging.stack.service('billing').kill('SIGKILL');
    await charging.stack.service('billing').start();
    const again = await eventually(async () => {
      const answer = await charging.deliver(charging.stripe.resign(event, { atMs: Date.now() + 2_000 }));
      return answer.status === 200 ? answer : undefined;
    });
    expect(stripeEventReceipt.parse(again.json()).received).toBe(true);
    expect((await charging.read(person)).plan.id).toBe('pro');
  }, 60_000);
});
