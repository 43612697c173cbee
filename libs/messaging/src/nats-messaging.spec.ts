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

/** Serves the contract, and delays replies until the test releases the replies. */
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
  it('carries the request to the server and the reply back, with the schema defaults', async () => {
    account.serve(double, ({ value, note }) => ({ value: value * 2, by: note }));
    await untilServed(caller);
    expect(await caller.call(double, { value: 21 })).toEqual({ value: 42, by: 'none' });
  });

  it('that violates the contract returns invalid_field and never reaches the handler', async () => {
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

  it('with an invalid reply fails with service_unavailable, with the reason in the detail', async () => {
    await serveDouble(() => ({ value: 'many' }) as never);
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error.code).toBe('service_unavailable');
    expect(error.detail).toContain('value: invalid_type');
  });

  it("returns the server's own error with its public fields and without its detail", async () => {
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

  it('hides internal errors from callers', async () => {
    await serveDouble(() => {
      throw new Error('password of the database: hunter22');
    });
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error.code).toBe('internal_error');
    expect(`${error.message} ${error.detail ?? ''}`).not.toContain('hunter22');
  });

  it.each(['{"code":"toString","message":"boo"}', '{"code":"invented","message":"boo"}', '[]', '{'])(
    'forwards only errors in the registry: %s',
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

  it('fails immediately if the contract is not served', async () => {
    const from = performance.now();
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect(error.detail).toContain('nobody serves it');
    // The call must fail in less than half of its deadline.
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  it("fails at the contract's deadline, or at the deadline set by the caller", async () => {
    const { release } = await serveHeld();
    const error = await failureOf(caller.call(double, { value: 1 }, { deadlineMs: 50 }));
    expect(error.detail).toContain('no reply within 50 ms');
    release();
    expect((await failureOf(caller.call(double, { value: 1 }, { deadlineMs: 0 }))).code).toBe(
      'service_unavailable',
    );
  });

  it("is aborted by the caller's signal", async () => {
    const { release } = await serveHeld();
    const error = await failureOf(caller.call(double, { value: 1 }, { signal: AbortSignal.timeout(50) }));
    expect(error.detail).toContain('the caller aborted the call');
    release();
    const given = caller.call(double, { value: 1 }, { signal: AbortSignal.abort() });
    expect((await failureOf(given)).detail).toContain('the caller aborted the call');
  });

  it('larger than 8 MiB is rejected without being sent, in both directions', async () => {
    const note = 'x'.repeat(9 * 1024 * 1024);
    await serveDouble(() => ({ value: 1, by: note }));
    expect((await failureOf(caller.call(double, { value: 1, note }))).detail).toContain('exceeds the limit');
    expect((await failureOf(caller.call(double, { value: 1 }))).code).toBe('service_unavailable');
    expect(caller.connected && account.connected).toBe(true);
  });

  it('reaches only the addressed instance', async () => {
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
      expect(error.detail).toContain('the instance id is missing or invalid');
    }
  });
});

describe('a server', () => {
  it('shares requests with its other instances, and each request gets one reply', async () => {
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

  it('rejects requests above its limit immediately, and accepts requests again when there is room', async () => {
    const { release } = await serveHeld({ inFlightMax: 3 });
    const calls = Array.from({ length: 10 }, (_, value) => caller.call(double, { value }));
    const outcomes = Promise.allSettled(calls);
    const refused = await failureOf(Promise.race(calls.slice(3)));
    expect(refused).toMatchObject({ code: 'service_unavailable', retryAfterMs: 100 });
    release();
    expect((await outcomes).filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3);
    expect(await caller.call(double, { value: 5 })).toEqual({ value: 5 });
  });

  it('can be called by every process after a flush', async () => {
    const edge = await bus.connectAs('edge-gateway');
    for (let round = 0; round < 20; round += 1) {
      const instanceId = `flushed-${round}`;
      const account = await bus.connectAs('account', instanceId);
      account.serve(doubleAt, ({ value }) => ({ value: 2 * value }));
      await account.flush();
      expect(await edge.call(doubleAt, { value: round }, { instanceId })).toEqual({ value: 2 * round });
    }
  });

  it('accepts no more requests while closing, and still replies to requests in progress', async () => {
    const { begun, release } = await serveHeld();
    const call = caller.call(double, { value: 7 });
    await begun;
    const closed = account.close();
    // The server may not have received the unsubscribe message yet.
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
  it('reaches every listener once, and is dropped if it violates the contract', async () => {
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

  it('still reaches the other listeners if a listener throws', async () => {
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

it('a call takes well under a millisecond on loopback', async () => {
  account.serve(double, ({ value }) => ({ value }));
  await untilServed(caller);
  const took: number[] = [];
  for (let value = 0; value < 2_000; value += 1) {
    const from = performance.now();
    await caller.call(double, { value });
    took.push(performance.now() - from);
  }
  took.sort((a, b) => a - b);
  // The test uses only the fastest calls, because slower calls include delays caused by other processes.
  expect(took[200]).toBeLessThan(1);
});
