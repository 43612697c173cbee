import { setImmediate as nextTurn } from 'node:timers/promises';
import { contractTable, type ServiceName } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { natsUsers } from '../../tools/bootstrap/stack/nats-config.ts';
import { differenceOf, StateReader } from './snapshot.fixture.ts';

const stack = sharedStack();
const connections: NatsConnection[] = [];
afterAll(() => Promise.all(connections.map((connection) => connection.close())));

interface Connected {
  readonly nats: NatsConnection;
  /** The rejected actions that the NATS server has reported since the test last emptied the list. */
  readonly refusals: string[];
}

async function connectAs(user: ServiceName): Promise<Connected> {
  const { url, password } = stack.natsCredentials(user);
  const nats = await connect({ servers: url, user, pass: password, inboxPrefix: `_INBOX_${user}` });
  connections.push(nats);
  const refusals: string[] = [];
  void (async () => {
    for await (const status of nats.status())
      if (status.type === 'error') refusals.push(status.error.message);
  })();
  return { nats, refusals };
}

/**
 * Returns true if the NATS server permits an action. A rejection arrives before the flush response, but the
 * client handles the rejection one event loop turn later.
 */
async function isLet(
  { nats, refusals }: Connected,
  action: (nats: NatsConnection) => void,
): Promise<boolean> {
  refusals.length = 0;
  action(nats);
  await nats.flush();
  await nextTurn();
  return refusals.length === 0;
}

const hear = (subject: string, queue?: string) => (nats: NatsConnection) =>
  void nats.subscribe(subject, { callback: () => undefined, ...(queue === undefined ? {} : { queue }) });

interface Case {
  readonly subject: string;
  readonly publishers: readonly ServiceName[];
  readonly listeners: readonly ServiceName[];
}

/**
 * The permissions that the contracts require. Callers may publish, servers may subscribe, and other users may
 * do neither.
 */
const cases: readonly Case[] = contractTable.map((contract) =>
  contract.kind === 'broadcast'
    ? { subject: contract.subject, publishers: [contract.publisher], listeners: contract.listeners }
    : {
        subject: contract.perInstance ? `${contract.subject}.nobody` : contract.subject,
        publishers: contract.callers,
        listeners: [contract.server],
      },
);

beforeAll(async () => {
  const state = await StateReader.open(stack);
  await state.untilSettled();
  await state.close();
}, 60_000);

describe.each([...natsUsers])('the NATS user %s', (user) => {
  let connected: Connected;
  beforeAll(async () => {
    connected = await connectAs(user);
  });

  test('a NATS user publishes and subscribes only to the subjects in the contracts of its service', async () => {
    const state = await StateReader.open(stack);
    const before = await state.read();
    const actual: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const { subject, publishers, listeners } of cases) {
      // The test checks only the permission to send. Services ignore this message, because it is not valid JSON.
      const publishes = await isLet(connected, (nats) => nats.publish(subject, 'not JSON'));
      const hears = await isLet(connected, hear(subject));
      actual[subject] = { publishes, hears, joinsQueue: await isLet(connected, hear(subject, 'account')) };
      const mayHear = listeners.includes(user);
      expected[subject] = { publishes: publishers.includes(user), hears: mayHear, joinsQueue: mayHear };
    }
    expect(actual).toEqual(expected);
    expect(differenceOf(before, await state.read())).toEqual({ added: [], removed: [] });
    await state.close();
  });

  test('a NATS user cannot subscribe with a wildcard or to server subjects', async () => {
    const servers = natsUsers.filter((other) => other !== user);
    const wildcards = ['>', '*', '*.*', '*.*.v1', '*.>', '$SYS.>', '_INBOX.>', '$SYS.REQ.SERVER.PING'];
    const subjects = [...wildcards, ...servers.flatMap((other) => [`${other}.>`, `_INBOX_${other}.>`])];
    for (const subject of subjects)
      expect({ subject, hears: await isLet(connected, hear(subject)) }).toEqual({ subject, hears: false });
  });

  test('a NATS user cannot publish to other users’ inboxes, to the server, or to an unknown subject', async () => {
    const inboxes = natsUsers.filter((other) => other !== user).map((other) => `_INBOX_${other}.some-reply`);
    for (const subject of [...inboxes, '$SYS.REQ.SERVER.PING', 'nobody.has-this.v1'])
      expect({ subject, sends: await isLet(connected, (nats) => nats.publish(subject)) }).toEqual({
        subject,
        sends: false,
      });
  });
});

test('a NATS connection requires the name and password of a NATS user', async () => {
  const servers = stack.dev.nats_url;
  const { password } = stack.natsCredentials('worker');
  for (const credentials of [{}, { user: 'account', pass: 'guess' }, { user: 'account', pass: password }])
    await expect(connect({ servers, maxReconnectAttempts: 0, ...credentials })).rejects.toThrow(
      /authorization/i,
    );
});
