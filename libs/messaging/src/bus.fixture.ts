import { setTimeout as waitMs } from 'node:timers/promises';
import { defineBroadcast, defineRpc } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { startNatsServer, type NatsServer } from '@gateway/testing';
import { z } from 'zod';
import type { Messaging, MessagingLogger } from './messaging.ts';
import { connectMessaging } from './nats-messaging.ts';

export const double = defineRpc({
  subject: 'account.double.v1',
  server: 'account',
  callers: ['edge-gateway'],
  // Time limit for a test call, in milliseconds. The time limit is longer than any pause on a busy machine.
  // Calls that should fail immediately must fail long before the time limit of a test call.
  deadlineMs: 20_000,
  request: z.object({ value: z.int(), note: z.string().default('none') }),
  reply: z.object({ value: z.int(), by: z.string().optional() }),
});
export const doubleAt = defineRpc({ ...double, subject: 'account.double-at.v1', perInstance: true });
export const changed = defineBroadcast({
  subject: 'account.changed.v1',
  publisher: 'account',
  listeners: ['edge-gateway'],
  message: z.object({ keyId: z.string() }),
});

/** A real NATS server and the connections that a test opens to it. */
export class Bus {
  readonly server: NatsServer;
  readonly #open: Messaging[] = [];

  static async start(): Promise<Bus> {
    return new Bus(await startNatsServer());
  }

  private constructor(server: NatsServer) {
    this.server = server;
  }

  async connectAs(user: string, instanceId = user, logger?: MessagingLogger): Promise<Messaging> {
    const messaging = await connectMessaging({
      url: this.server.url,
      user,
      password: 'unused',
      name: user,
      instanceId,
      ...(logger === undefined ? {} : { logger }),
    });
    this.#open.push(messaging);
    return messaging;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((messaging) => messaging.close()));
    await this.server.close();
  }
}

export async function until(condition: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error('the condition did not become true in time');
    await waitMs(10);
  }
}

/**
 * The input that `untilServed` sends repeatedly until a process serves the contract. Test servers answer this
 * input immediately, even if they delay other replies.
 */
export const probe = -1;

/** Waits until a contract is served. A call to a contract that no process serves fails immediately. */
export async function untilServed(
  caller: Messaging,
  contract: typeof double = double,
  instanceId?: string,
): Promise<void> {
  const options = instanceId === undefined ? {} : { instanceId };
  await until(() =>
    caller.call(contract, { value: probe }, options).then(
      () => true,
      (error: unknown) => !(error instanceof GatewayError && error.detail?.includes('nobody serves it')),
    ),
  );
}

/** Returns the error from a call, or fails the test if the call succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(GatewayError);
  return thrown as GatewayError;
}
