import { defineBroadcast, defineRpc } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { startNatsServer, type NatsServer } from '@gateway/testing';
import { connect } from '@nats-io/transport-node';
import { setTimeout as waitMs } from 'node:timers/promises';
import { z } from 'zod';
import type { Messaging } from './messaging.ts';
import { connectMessaging } from './nats-messaging.ts';

const double = defineRpc({
  subject: 'account.double.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 500,
  request: z.object({ value: z.int(), note: z.string().default('none') }),
  reply: z.object({ value: z.int(), by: z.string().optional() }),
});
const doubleAt = defineRpc({ ...double, subject: 'account.double-at.v1', perInstance: true });
const changed = defineBroadcast({
  subject: 'account.changed.v1',
  publisher: 'account',
  listeners: ['edge-gateway'],
  message: z.object({ keyId: z.string() }),
});

let server: NatsServer;
const open: Messaging[] = [];

async function connectAs(user: string, instanceId: string = user): Promise<Messaging> {
  const messaging = await connectMessaging({
    url: server.url,
    user,
    password: 'x',
    name: user,
    instanceId,
  });
  open.push(messaging);
  return messaging;
}

async function until(condition: () => boolean, withinMs = 5_000): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > endsAt) throw new Error('it did not come to pass');
    await waitMs(10);
  }
}

/** What a call throws, or a failure of the test if it does not. */
async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(GatewayError);
  return thrown as GatewayError;
}

beforeEach(async () => {
  server = await startNatsServer();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((messaging) => messaging.close()));
  await server.close();
});

describe('calls', () => {
  it('carries a request to the server and its reply back, with the defaults of the schema', async () => {
    const [caller, account] = await Promise.all([connectAs('edge-gateway'), connectAs('account')]);
    account.serve(double, ({ value, note }) => ({ value: value * 2, by: note }));
    await waitMs(50);
    expect(await caller.call(double, { value: 21 })).toEqual({ value: 42, by: 'none' });
  });

  it('answers a request against the contract with invalid_field and never runs it', async () => {
    const [caller, account] = await Promise.all([connectAs('edge-gateway'), connectAs('account')]);
    let runs = 0;
    account.serve(double, ({ value }) => ({ value: (runs += value) }));
    await waitMs(50);
    const error = await failureOf(caller.call(double, { value: 'many' } as never));
    expect(error).toMatchObject({ code: 'invalid_field', param: 'value' });
    expect(runs).toBe(0);
  });

  it('takes a reply against the contract for a service that is not available, and says why in the detail', async () => {
    const [caller, account] = await Promise.all([connectAs('edge-gateway'), connectAs('account')]);
    account.serve(double, () => ({ value: 'many' }) as never);
    await waitMs(50);
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error.code).toBe('service_unavailable');
    expect(error.detail).toContain('value: invalid_type');
  });

  it("gives the server's own error, with its public fields and without its detail", async () => {
    const [caller, account] = await Promise.all([connectAs('edge-gateway'), connectAs('account')]);
    account.serve(double, () => {
      throw new GatewayError('rate_limit_exceeded', {
        message: 'Slowly.',
        param: 'value',
        retryAfterMs: 1500,
        detail: 'a secret of the house',
      });
    });
    await waitMs(50);
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'Slowly.',
      param: 'value',
      retryAfterMs: 1500,
    });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('shows nothing of an error that is not meant for callers', async () => {
    const [caller, account] = await Promise.all([connectAs('edge-gateway'), connectAs('account')]);
    account.serve(double, () => {
      throw new Error('password of the database: hunter22');
    });
    await waitMs(50);
    const error = await failureOf(caller.call(double, { value: 1 }));
    expect(error.code).toBe('internal_error');
    expect(`${error.message} ${error.detail ?? ''}`).not.toContain('hunter22');
  });

  it('lets only codes of the registry across', async () => {
    const caller = await connectAs('edge-gateway');
    const raw = await connect({ servers: server.url });
    raw.subscribe(double.subject, {
      callback: (_error, message) => {
        const { headers } = message;
        headers?.set('Svc-Error', 'x');
        message.respond('{"code":"toString","message":"boo"}', headers === undefined ? {} : { headers });
      },
    });
    await raw.flush();
    // Headers are on the request only when something is traced; the raw server marks its own.
    const { headers } = await import('@nats-io/transport-node');
    raw.subscribe('account.marked.v1', {
      callback: (_error, message) => {
        const marked = headers();
        marked.set('Svc-Error', 'x');
        message.respond('{"code":"toString","message":"boo"}', { headers: marked });
      },
    });
    await raw.flush();
    const error = await failureOf(caller.call({ ...double, subject: 'account.marked.v1' }, { value: 1 }));
    expect(error).toMatchObject({ code: 'service_unavailable' });
    await raw.close();
  });
});
