import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { contractTable } from '@gateway/contracts';
import type { ServiceName } from '@gateway/contracts';
import { startStack } from '@gateway/testing';
import type { StackUnderTest } from '@gateway/testing';
import { natsUsers, renderNatsConfig } from './nats-config.ts';

test('the NATS configuration rejects a user without a password', () => {
  const options = { host: '127.0.0.1', port: 4222, passwords: {}, contracts: contractTable };
  expect(() => renderNatsConfig(options)).toThrow('no password');
});

test('every server, caller, publisher and listener in an RPC contract is a NATS user', () => {
  const named = contractTable.flatMap((contract) =>
    contract.kind === 'rpc'
      ? [contract.server, ...contract.callers]
      : [contract.publisher, ...contract.listeners],
  );
  expect(natsUsers).toEqual(expect.arrayContaining([...new Set(named)]));
});

// The publish and subscribe permissions are tested in test/authz/nats-subjects.spec.ts.
describe('a nats-server with the generated configuration', () => {
  let stack: StackUnderTest;
  const connections: NatsConnection[] = [];

  beforeAll(async () => {
    stack = await startStack({ apps: [] });
  }, 60_000);
  afterAll(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await stack.stop();
  }, 60_000);

  async function connectAs(user: ServiceName): Promise<{ nats: NatsConnection; refusals: string[] }> {
    const { url, password } = stack.natsCredentials(user);
    const nats = await connect({ servers: url, user, pass: password, inboxPrefix: `_INBOX_${user}` });
    connections.push(nats);
    const refusals: string[] = [];
    void (async () => {
      for await (const status of nats.status()) {
        if (status.type === 'error') refusals.push(status.error.message);
      }
    })();
    return { nats, refusals };
  }

  /**
   * The NATS server sends a permission error before it replies to the flush. After the flush, the client's
   * iterator needs one more turn of the event loop to receive the error.
   */
  async function settle(nats: NatsConnection): Promise<void> {
    await nats.flush();
    await nextTurn();
  }

  test('a service may reply once to each request, although the service may not publish to the reply subject otherwise', async () => {
    const { nats: server, refusals } = await connectAs('account');
    const { nats: caller } = await connectAs('edge-gateway');
    server.subscribe('account.authenticate-key.v1', {
      queue: 'account',
      callback: (_error, message) => {
        message.respond('first');
        message.respond('second');
      },
    });
    await server.flush();
    const reply = await caller.request('account.authenticate-key.v1', 'key', { timeout: 20_000 });
    expect(reply.string()).toBe('first');
    await settle(server);
    expect(refusals.join()).toMatch(/permissions violation for publish/i);
  });

  test('a nats-server with the generated configuration accepts messages of up to 8 MiB', async () => {
    const { nats } = await connectAs('edge-gateway');
    expect(nats.info?.max_payload).toBe(8 * 1024 * 1024);
  });
});
