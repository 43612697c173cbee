import { sharedStack } from '@gateway/testing';
import type { Answer } from '../e2e/http.fixture.ts';
import { plainAnswer, streamedAnswer } from '../e2e/provider.fixture.ts';
import { callersWithoutKey, type RefusedCaller } from './callers.fixture.ts';
import { asToldAt, outcomeOf } from './outcome.fixture.ts';
import { addresses, callAs, prepareCall, routes, type Address } from './requests.fixture.ts';
import { rows, targetKinds } from './rows.fixture.ts';
import { differenceOf, StateReader } from './snapshot.fixture.ts';
import { buildWorld, type World } from './world.fixture.ts';

const stack = sharedStack();
const unchanged = { added: [], removed: [] };
let world: World;
let state: StateReader;

beforeAll(async () => {
  world = await buildWorld(stack);
  state = await StateReader.open(stack);
}, 60_000);
afterAll(async () => {
  await state.close();
  await world.provider.close();
});

test('every route has a row here, and every row a route', () => {
  expect(Object.keys(rows).sort()).toEqual(routes.map(({ operation }) => operation?.id ?? 'none').sort());
  for (const { operation, paths } of routes)
    expect([operation?.id, rows[operation?.id ?? '']?.targets !== undefined]).toEqual([
      operation?.id,
      paths[0].includes('{'),
    ]);
});

const closed = addresses.filter(({ access }) => access !== 'public');
const titled = (list: readonly Address[]) =>
  list.map((address) => [`${address.method} ${address.path}`, address] as const);

/** Holds what an answer may tell to somebody who may not know: nothing of either account, nor what was sent. */
function expectNothingTold(answer: Answer, { headers }: RefusedCaller): void {
  const told = JSON.stringify(answer.headers) + answer.text;
  for (const mark of [...world.owner.marks, ...world.other.marks]) expect(told).not.toContain(mark);
  const sent = headers['authorization']?.split(' ').at(-1) ?? '';
  if (sent.length > 11) expect(told).not.toContain(sent);
}

// First, while nobody else does anything: whatever changes then has been changed by somebody who may not.
describe('whoever has no good key is refused, and changes nothing', () => {
  test.each(titled(closed))('%s', async (_title, address) => {
    const { access, path } = address;
    if (access === 'public') return;
    const call = await prepareCall(world, address, 'own');
    const before = await state.read();
    const outcomes: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const caller of callersWithoutKey(world)) {
      const answer = await callAs(world, call, caller.headers);
      outcomes[caller.name] = outcomeOf(path, answer);
      expected[caller.name] = asToldAt(path, caller.refusals[access]);
      expect(address.errors).toContain(caller.refusals[access].split(' ').at(-1));
      expectNothingTold(answer, caller);
    }
    expect(outcomes).toEqual(expected);
    expect(differenceOf(before, await state.read())).toEqual(unchanged);
  });
});

describe('a route spelled in another way is no other door', () => {
  test.each(titled(closed))('%s', async (_title, address) => {
    const { method, path, body } = await prepareCall(world, address, 'own');
    const before = await state.read();
    const spellings = [
      `${path}/`,
      `/${path}`,
      path.replace('/v1/', '/V1/'),
      `${path}?`,
      `${path};x`,
      `/.${path}`,
    ];
    const encoded = path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    for (const other of [method, 'HEAD', 'OPTIONS'])
      for (const spelling of [...spellings, encoded, `/x/..${path}`]) {
        const answer = await callAs(world, { method: other, path: spelling, body }, {});
        expect({ other, spelling, isRefused: [401, 404, 405].includes(answer.status) }).toEqual({
          other,
          spelling,
          isRefused: true,
        });
      }
    expect(differenceOf(before, await state.read())).toEqual(unchanged);
  });
});

const keyed = closed.filter(({ access }) => access !== 'session');
const asOwner = () => ({ authorization: `Bearer ${world.owner.account.apiKey}` });

/** Holds an answer that is the caller's own to what the route says of itself. */
function expectDescribed({ operation }: Address, answer: Answer): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: operation.answer.status });
  const type = operation.answer.contentType ?? 'application/json';
  expect(answer.headers['content-type']?.split(';', 1)[0]).toBe(type);
  if (type === 'application/json')
    expect(operation.answer.schema?.safeParse(answer.json()).error).toBeUndefined();
  for (const mark of world.other.marks) expect(answer.text).not.toContain(mark);
}

describe('a key opens what is its account’s own, and shows nothing of another', () => {
  test.each(titled(keyed))('%s', async (_title, address) => {
    const { id } = address.operation;
    world.provider.setControls(id === 'converseStream' ? streamedAnswer(['Hello.']) : plainAnswer);
    const before = await state.read(world.other.marks);
    expectDescribed(address, await callAs(world, await prepareCall(world, address, 'own'), asOwner()));
    expect(differenceOf(before, await state.read(world.other.marks))).toEqual(unchanged);
  });
});

describe('what is not the caller’s own is not there, whose ever it is', () => {
  test.each(titled(keyed.filter(({ row }) => row.targets !== undefined)))('%s', async (_title, address) => {
    const { path, row } = address;
    const before = await state.read(world.other.marks);
    const called = world.provider.requests.length;
    const answers = new Set<string>();
    for (const kind of targetKinds.filter((each) => each !== 'own')) {
      const call = await prepareCall(world, address, kind);
      const answer = await callAs(world, call, asOwner());
      const outcome = outcomeOf(path, answer);
      const allowed = (row.notOwn ?? '404 not_found').split('|');
      expect({ kind, outcome, isAllowed: allowed.includes(outcome) }).toEqual({
        kind,
        outcome,
        isAllowed: true,
      });
      // A refusal may repeat what the caller has written itself.
      const told = answer.text.replaceAll(decodeURIComponent(call.path.split('/').at(-1) ?? ''), '');
      for (const mark of world.other.marks) expect(told).not.toContain(mark);
      answers.add(told.replaceAll(String(answer.headers['x-request-id']), ''));
    }
    // One and the same answer, so that nobody learns which ids there are.
    if (row.notOwn === undefined) expect([...answers]).toHaveLength(1);
    expect(world.provider.requests).toHaveLength(called);
    expect(differenceOf(before, await state.read(world.other.marks))).toEqual(unchanged);
  });
});
