import { allKeyScopes, type KeyScope } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { plainAnswer, streamedAnswer } from '../e2e/provider.fixture.ts';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import { asToldAt, outcomeOf } from './outcome.fixture.ts';
import { admitted, callAs, expectDescribed, prepareCall, type Address } from './requests.fixture.ts';
import type { Caller } from './rows.fixture.ts';
import { neededScopes } from './scopes.fixture.ts';
import { differenceOf, StateReader } from './snapshot.fixture.ts';
import { buildWorld, type World } from './world.fixture.ts';

const stack = sharedStack();
const undo: Undo[] = [];
let world: World;
let state: StateReader;
/** The owner's API keys by scope. Each API key has exactly one scope. */
let keys: Readonly<Record<KeyScope, string>>;

const makeKey = async (managingKey: string, scope: KeyScope) =>
  (await createTestKey(stack.baseUrl, managingKey, { name: `${scope} only`, scopes: [scope] })).key;

beforeAll(async () => {
  world = await buildWorld(stack, undo);
  state = await StateReader.open(stack);
  undo.push(() => state.close());
  const { apiKey } = world.owner.account;
  const [inference, read, manage] = [
    await makeKey(apiKey, 'inference'),
    await makeKey(apiKey, 'read'),
    await makeKey(apiKey, 'manage'),
  ];
  keys = { inference, read, manage };
  await state.untilSettled();
}, 120_000);
afterAll(() => undoAll(undo));

const asCaller = (key: string): Caller => ({ headers: { authorization: `Bearer ${key}` }, person: null });
const cases = admitted.filter(({ kind }) => kind === 'key').map(({ address }) => address);
const titled = cases.map((address) => [`${address.method} ${address.path}`, address] as const);
const scopeOf = ({ operation }: Address) =>
  allKeyScopes.find((scope) => neededScopes[scope].includes(operation.id));

test('every operation that accepts API keys needs exactly one scope', () => {
  const listed = allKeyScopes.flatMap((scope) => neededScopes[scope]);
  expect(listed.toSorted()).toEqual([...new Set(cases.map(({ operation }) => operation.id))].sort());
});

describe('a key without the scope of an operation is rejected and changes nothing', () => {
  test.each(titled)('%s', async (_title, address) => {
    const needed = scopeOf(address);
    const { path, errors } = address;
    const call = await prepareCall(world, address, 'own');
    const before = await state.read();
    const called = world.provider.requests.length;
    expect(errors).toContain('insufficient_scope');
    for (const scope of allKeyScopes.filter((each) => each !== needed)) {
      const answer = await callAs(world.baseUrl, call, asCaller(keys[scope]).headers);
      const outcome = outcomeOf(path, answer);
      expect({ scope, outcome }).toEqual({ scope, outcome: asToldAt(path, '403 insufficient_scope') });
      expect(answer.text).toContain(`scope \\"${needed}\\"`);
      for (const mark of world.owner.marks) expect(answer.text).not.toContain(mark);
    }
    expect(world.provider.requests).toHaveLength(called);
    expect(differenceOf(before, await state.read())).toEqual({ added: [], removed: [] });
  });
});

describe('a key with only the scope of an operation may call the operation', () => {
  test.each(titled)('%s', async (_title, address) => {
    const { id } = address.operation;
    world.provider.setControls(id === 'converseStream' ? streamedAnswer(['Hello.']) : plainAnswer);
    const scope = scopeOf(address)!;
    const key =
      address.row.usesUp === true
        ? await makeKey((await createTestAccount(stack)).apiKey, scope)
        : keys[scope];
    const caller = asCaller(key);
    const call = await prepareCall(world, address, 'own', caller);
    expectDescribed(world, address, await callAs(world.baseUrl, call, caller.headers));
  });
});
