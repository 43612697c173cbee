import { setTimeout as waitMs } from 'node:timers/promises';
import { startNatsServer } from '@gateway/testing';
import { Bus, changed, double, failureOf, probe, until, untilServed } from './bus.fixture.ts';
import { connectMessaging } from './nats-messaging.ts';

let bus: Bus;
beforeEach(async () => {
  bus = await Bus.start();
});
afterEach(() => bus.close());

function countingLogger() {
  const lines: string[] = [];
  const write = (_fields: object, message: string) => void lines.push(message);
  return { lines, logger: { info: write, warn: write, error: write } };
}

it('starts without a server, logs the missing server once, and serves as soon as the server is available', async () => {
  await bus.server.stop();
  const { lines, logger } = countingLogger();
  const account = await bus.connectAs('account', 'account', logger);
  expect(account.connected).toBe(false);
  account.serve(double, ({ value }) => ({ value: value * 2 }));
  await until(() => lines.length > 0);
  await waitMs(1_000);
  expect(lines).toEqual(['messaging: connecting to NATS failed, retrying']);
  await bus.server.start();
  await until(() => account.connected);
  const caller = await bus.connectAs('edge-gateway');
  await untilServed(caller);
  expect(await caller.call(double, { value: 4 })).toEqual({ value: 8 });
}, 60_000);

it('fails a call immediately while disconnected, and recovers when the server is available again', async () => {
  const { lines, logger } = countingLogger();
  const [caller, account] = await Promise.all([
    bus.connectAs('edge-gateway', 'edge', logger),
    bus.connectAs('account'),
  ]);
  const heard: string[] = [];
  let reconnections = 0;
  caller.onReconnect(() => (reconnections += 1));
  caller.onBroadcast(changed, ({ keyId }) => heard.push(keyId));
  account.serve(double, ({ value }) => ({ value }));
  await untilServed(caller);

  await bus.server.stop();
  await until(() => !caller.connected && !account.connected);
  const from = performance.now();
  const refused = await failureOf(caller.call(double, { value: 1 }));
  expect(refused).toMatchObject({
    code: 'service_unavailable',
    detail: expect.stringContaining('not connected'),
  });
  // The call must fail in less than half of its deadline.
  expect(performance.now() - from).toBeLessThan(10_000);
  for (let key = 0; key < 1_200; key += 1) account.broadcast(changed, { keyId: `k${key}` });
  await waitMs(1_000);
  expect(lines.filter((line) => line !== 'messaging: connected to NATS')).toHaveLength(1);

  await bus.server.start();
  await until(() => caller.connected && account.connected);
  await untilServed(caller);
  expect(reconnections).toBe(1);
  // The option `onReconnect` is needed because a listener that reconnects too late misses a broadcast.
  expect(heard.length).toBeLessThanOrEqual(1_000);
}, 60_000);

it('fails an in-flight call long before its deadline if the connection is lost', async () => {
  const [caller, account] = await Promise.all([bus.connectAs('edge-gateway'), bus.connectAs('account')]);
  const [begun, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<{ value: number }>()];
  account.serve(double, ({ value }) => {
    if (value === probe) return { value };
    begun.resolve(undefined);
    return held.promise;
  });
  await untilServed(caller);
  const from = performance.now();
  const call = failureOf(caller.call(double, { value: 1 }));
  await begun.promise;
  await bus.server.stop();
  expect((await call).code).toBe('service_unavailable');
  expect(performance.now() - from).toBeLessThan(10_000);
  held.resolve({ value: 1 });
}, 60_000);

it("uses its user's inbox prefix, and returns service_unavailable for a forbidden subject", async () => {
  const server = await startNatsServer(`
    authorization {
      users = [
        { user: edge-gateway, password: right, permissions: {
            publish: ["account.double.v1"], subscribe: ["_INBOX_edge-gateway.>"] } }
        { user: account, password: right, permissions: {
            subscribe: ["account.double.v1"], publish: [], allow_responses: true } }
      ]
    }`);
  const options = { url: server.url, password: 'right', instanceId: 'one', name: 'test' };
  const caller = await connectMessaging({ ...options, user: 'edge-gateway' });
  const account = await connectMessaging({ ...options, user: 'account' });
  account.serve(double, ({ value }) => ({ value }));
  await untilServed(caller);
  expect(await caller.call(double, { value: 3 })).toEqual({ value: 3 });
  const refused = await failureOf(caller.call({ ...double, subject: 'provider-vault.x.v1' }, { value: 3 }));
  expect(refused.code).toBe('service_unavailable');
  const wrong = await connectMessaging({ ...options, user: 'account', password: 'wrong' });
  expect(wrong.connected).toBe(false);
  await Promise.all([caller.close(), account.close(), wrong.close()]);
  await server.close();
}, 60_000);

it('closes in time even if the server is unavailable', async () => {
  const account = await bus.connectAs('account');
  account.serve(double, ({ value }) => ({ value }));
  await bus.server.stop();
  await until(() => !account.connected);
  const from = performance.now();
  await account.close();
  // Closing takes much less time than the time limit for requests in progress.
  expect(performance.now() - from).toBeLessThan(8_000);
}, 60_000);
