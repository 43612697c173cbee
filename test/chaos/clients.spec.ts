import { randomFrom } from '@gateway/testing';
import { sendChat } from './chat-operations.ts';
import { checkHistory } from './check-history.ts';
import { changeAccount, listKeys, listProviders, readPolicy } from './control-operations.ts';
import { emptyHistory } from './histories.fixture.ts';
import type { Violation } from './history.ts';
import { startModelGateway, type Defects } from './model-gateway.fixture.ts';
import { Recorder } from './recorder.ts';
import { startUpstream } from './upstream.ts';

const operationsCount = 400;
const clientsCount = 4;

/** Sends seeded operations of four concurrent clients to a model gateway, and checks the history. */
async function runAgainst(defects: Defects): Promise<{ violations: Violation[]; kinds: Set<string> }> {
  const gateway = await startModelGateway(defects);
  const recorder = new Recorder(() => performance.now());
  const account = {
    ...{ accountId: 'account-1', keyId: 'key-1', apiKey: 'sk', upstreamUrl: 'http://upstream' },
    ...{ pool: new Map(), known: new Set<string>() },
  };
  const edge = { name: 'edge-gateway', url: gateway.url };
  const client = async (seed: number): Promise<void> => {
    const random = randomFrom(seed);
    while (recorder.operations.length < operationsCount) await changeAccount(recorder, account, edge, random);
  };
  try {
    await Promise.all(Array.from({ length: clientsCount }, (_, seed) => client(seed)));
    for (const read of [listKeys, listProviders, readPolicy]) await read({ recorder, account, edge });
  } finally {
    await gateway.close();
  }
  const { operations } = recorder;
  const initial = { 'policy:account-1': 'first' };
  return {
    violations: checkHistory({ ...emptyHistory, operations, initial }),
    kinds: new Set(operations.map(({ kind }) => kind)),
  };
}

it('the clients send every kind of change, and a correct gateway breaks no promise', async () => {
  const { violations, kinds } = await runAgainst({});
  expect(violations).toEqual([]);
  expect(kinds.size).toBe(11);
});

it.each<[string, Defects, string]>([
  ['loses acknowledged renames', { losesRenames: true }, 'keysAreLinearizable'],
  ['returns old names of keys', { readsStaleNames: true }, 'keysAreLinearizable'],
  ['keeps deleted providers', { keepsProviders: true }, 'providersAreLinearizable'],
])('the checker finds a gateway that %s', async (_, defects, promise) => {
  const { violations } = await runAgainst(defects);
  expect(violations.map((violation) => violation.promise)).toContain(promise);
});

it('chats in every format get complete responses from the recording provider, unless it is broken', async () => {
  const upstream = await startUpstream(() => performance.now());
  const recorder = new Recorder(() => performance.now());
  const edge = { name: 'edge-gateway', url: upstream.url };
  const key = { id: 'key-1', secret: 'sk', marks: ['mark_1'] };
  const random = randomFrom(1);
  const chat = () => sendChat(recorder, { accountId: 'account-1' }, key, edge, random);
  try {
    for (let count = 0; count < 24; count += 1) expect(await chat()).toBe(true);
    expect(upstream.requests.map(({ operation }) => operation)).toEqual(
      recorder.operations.map(({ id }) => id),
    );
    expect(new Set(recorder.operations.map(({ kind }) => kind)).size).toBe(3);
    expect(upstream.requests.some(({ tools }) => tools.includes('mark_1'))).toBe(true);
    upstream.state = 'broken';
    for (let count = 0; count < 8; count += 1) await chat();
    const broken = recorder.operations.slice(24);
    expect(broken.some(({ status }) => status === 0)).toBe(true);
    expect(broken.some(({ status }) => status === 500)).toBe(true);
    expect(broken.some(({ status, isWhole }) => status === 200 && !isWhole)).toBe(true);
  } finally {
    await upstream.close();
  }
});
