import { GatewayError } from '@gateway/errors';
import { connect, headers } from '@nats-io/transport-node';
import { Bus, changed, double, doubleAt, failureOf, probe, until, untilServed } from './bus.fixture.ts';
import type { Messaging, ReplyOf } from './messaging.ts';

let bus: Bus;
let caller: Messaging;
let account: Messaging;

beforeEach(async () => {
  bus = await Bus.start();
  [caller, account] = await Promise.all([bus.connectAs('edge-gateway'), bus.connectAs('account')]);
});
afterEach(() => bus.close());

async function serveDouble(
  fn: () => Promise<ReplyOf<typeof double>> | ReplyOf<typeof double>,
): Promise<void> {
  account.serve(double, fn);
  await untilServed(caller);
}

/** Serves the contract, and answers nobody before it is told to. */
async function serveHeld(options: { inFlightMax?: number } = {}) {
  const [begun, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const serve = async ({ value }: { value: number }) => {
    if (value === probe) return { value };
    begun.resolve(undefined);
    await held.promise;
    return { value };
  };
  account.serve(double, serve, options);
  await untilServed(caller);
  return { begun: begun.promise, release: () => held.resolve(undefined) };
}

describe('a call', () => {
  it('carries the request to the server and the reply back, with the defaults of the schema', async () => {
    account.serve(double, ({ value, note }) => ({ value: value * 2, by: note }));
    await untilServed(caller);
    expect(await caller.call(double, { value: 21 })).toEqual({ value: 42, by: 'none' });
  });

  it('against the contract is answered with invalid_field and never runs', async () => {
    let runs = 0;
    account.serve(double, ({ value }) => ({ value: (runs += value) }));
    const error = await failureOf(
      untilServed(caller).then(() => {
        runs = 0;
        return caller.call(double, { value: 'many' } as never);
      }),
    );
    expect(error).toMatchObject({ code: 'invalid_field', param: 'value' });
    expect(runs).toBe(0);
  });

  it('whose reply is against the contract fails as service_unavailable, with the reason in the detail', async () => {
    await serveDouble(() => ({ value: 'many' }) as never);
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error.code).toBe('service_unavailable');
    expect(error.detail).toContain('value: invalid_type');
  });

  it("gives the server's own error with its public fields, and without its detail", async () => {
    await serveDouble(() => {
      throw new GatewayError('rate_limit_exceeded', {
        message: 'Slowly.',
        param: 'value',
        retryAfterMs: 1500,
        detail: 'a secret of the house',
      });
    });
    const error = await failureOf(caller.call(double, { value: 1 }));
    const expected = { code: 'rate_limit_exceeded', message: 'Slowly.', param: 'value', retryAfterMs: 1500 };
    expect(error).toMatchObject(expected);
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('shows nothing of an error that is not meant for callers', async () => {
    await serveDouble(() => {
      throw new Error('password of the database: hunter22');
    });
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error.code).toBe('internal_error');
    expect(`${error.message} ${error.detail ?? ''}`).not.toContain('hunter22');
  });

  it.each(['{"code":"toString","message":"boo"}', '{"code":"invented","message":"boo"}', '[]', '{'])(
    'lets only errors of the registry across: %s',
    async (body) => {
      const raw = await connect({ servers: bus.server.url });
      raw.subscribe(double.subject, {
        callback: (_error, message) => {
          const marked = headers();
          marked.set('Svc-Error', 'x');
          message.respond(body, { headers: marked });
        },
      });
      await raw.flush();
      const error = await failureOf(caller.call(double, { value: 1 }));
      expect(error.code).toBe('service_unavailable');
      await raw.close();
    },
  );

  it('fails at once when nobody serves the contract', async () => {
    const from = performance.now();
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect(error.detail).toContain('nobody serves it');
    // Half of its deadline.
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  it('fails at its deadline, and at the one that the caller sets', async () => {
    const { release } = await serveHeld();
    const error = await failureOf(caller.call(double, { value: 1 }, { deadlineMs: 50 }));
    expect(error.detail).toContain('no reply within 50 ms');
    release();
    expect((await failureOf(caller.call(double, { value: 1 }, { deadlineMs: 0 }))).code).toBe(
      'service_unavailable',
    );
  });

  it('is given up when the caller says so', async () => {
    const { release } = await serveHeld();
    const error = await failureOf(caller.call(double, { value: 1 }, { signal: AbortSignal.timeout(50) }));
    expect(error.detail).toContain('given up');
    release();
    const given = caller.call(double, { value: 1 }, { signal: AbortSignal.abort() });
    expect((await failureOf(given)).detail).toContain('given up');
  });

  it('of more than 8 MiB is refused without being sent, in both directions', async () => {
    const note = 'x'.repeat(9 * 1024 * 1024);
    await serveDouble(() => ({ value: 1, by: note }));
    expect((await failureOf(caller.call(double, { value: 1, note }))).detail).toContain('too large');
    expect((await failureOf(caller.call(double, { value: 1 }))).code).toBe('service_unavailable');
    expect(caller.connected && account.connected).toBe(true);
  });

  it('reaches the instance it names, and no other', async () => {
    const other = await bus.connectAs('account', 'account-2');
    account.serve(doubleAt, () => ({ value: 1, by: 'account' }));
    other.serve(doubleAt, () => ({ value: 1, by: 'account-2' }));
    for (const instanceId of ['account', 'account-2']) await untilServed(caller, doubleAt, instanceId);
    for (const instanceId of ['account-2', 'account', 'account-2']) {
      expect((await caller.call(doubleAt, { value: 1 }, { instanceId })).by).toBe(instanceId);
    }
    for (const instanceId of ['*', '>', 'a.b', '', undefined]) {
      const options = instanceId === undefined ? {} : { instanceId };
      const error = await failureOf(caller.call(doubleAt, { value: 1 }, options));
      expect(error.detail).toContain('not an instance id');
    }
  });
});

describe('a server', () => {
  it('shares the requests with its other instances, and each is answered once', async () => {
    const other = await bus.connectAs('account', 'account-2');
    const answered = { account: 0, other: 0 };
    account.serve(double, ({ value }) => ((answered.account += 1), { value }));
    other.serve(double, ({ value }) => ((answered.other += 1), { value }));
    await until(async () => {
      await untilServed(caller);
      return answered.account > 0 && answered.other > 0;
    });
    Object.assign(answered, { account: 0, other: 0 });
    await Promise.all(Array.from({ length: 200 }, (_, value) => caller.call(double, { value })));
    expect(answered.account + answered.other).toBe(200);
    expect(Math.min(answered.account, answered.other)).toBeGreaterThan(20);
  });

  it('refuses what is over its bound at once, and answers again when there is room', async () => {
    const { release } = await serveHeld({ inFlightMax: 3 });
    const calls = Array.from({ length: 10 }, (_, value) => caller.call(double, { value }));
    const outcomes = Promise.allSettled(calls);
    const refused = await failureOf(Promise.race(calls.slice(3)));
    expect(refused).toMatchObject({ code: 'service_unavailable', retryAfterMs: 100 });
    release();
    expect((await outcomes).filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3);
    expect(await caller.call(double, { value: 5 })).toEqual({ value: 5 });
  });

  it('is there for everybody once what it sent is taken', async () => {
    const edge = await bus.connectAs('edge-gateway');
    for (let round = 0; round < 20; round += 1) {
      const instanceId = `flushed-${round}`;
      const account = await bus.connectAs('account', instanceId);
      account.serve(doubleAt, ({ value }) => ({ value: 2 * value }));
      await account.flush();
      expect(await edge.call(doubleAt, { value: round }, { instanceId })).toEqual({ value: 2 * round });
    }
  });

  it('that closes takes nothing more, and still answers what it has begun', async () => {
    const { begun, release } = await serveHeld();
    const call = caller.call(double, { value: 7 });
    await begun;
    const closed = account.close();
    // Its word that it takes nothing more is on its way to the server.
    await until(async () => {
      const refused = await failureOf(caller.call(double, { value: 8 }, { deadlineMs: 100 }));
      return refused.detail?.includes('nobody serves it') ?? false;
    });
    release();
    expect(await call).toEqual({ value: 7 });
    await closed;
    expect(account.connected).toBe(false);
  });
});

describe('a broadcast', () => {
  it('reaches every listener once, and one against the contract is dropped', async () => {
    const second = await bus.connectAs('edge-gateway', 'edge-2');
    const heard: string[] = [];
    caller.onBroadcast(changed, ({ keyId }) => heard.push(`1 ${keyId}`));
    second.onBroadcast(changed, ({ keyId }) => heard.push(`2 ${keyId}`));
    await until(() => {
      account.broadcast(changed, { keyId: 'early' });
      return ['1 early', '2 early'].every((each) => heard.includes(each));
    });
    account.broadcast(changed, { keyId: 5 } as never);
    account.broadcast(changed, { keyId: 'k1' });
    const rest = () => heard.filter((each) => !each.endsWith('early'));
    await until(() => rest().length >= 2);
    expect(rest().sort()).toEqual(['1 k1', '2 k1']);
  });

  it('outlives a listener that throws', async () => {
    const heard: string[] = [];
    caller.onBroadcast(changed, ({ keyId }) => {
      heard.push(keyId);
      throw new Error('no');
    });
    await until(() => {
      account.broadcast(changed, { keyId: 'k1' });
      return heard.includes('k1');
    });
    account.broadcast(changed, { keyId: 'k2' });
    await until(() => heard.includes('k2'));
  });
});

it('a call costs well under a millisecond on loopback', async () => {
  account.serve(double, ({ value }) => ({ value }));
  await untilServed(caller);
  const took: number[] = [];
  for (let value = 0; value < 2_000; value += 1) {
    const from = performance.now();
    await caller.call(double, { value });
    took.push(performance.now() - from);
  }
  took.sort((a, b) => a - b);
  // The quicker ones: what other processes take away is in the slower.
  expect(took[200]).toBeLessThan(1);
});
