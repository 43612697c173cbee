import { sharedStack } from '@gateway/testing';
import type { Answer } from '../e2e/http.fixture.ts';
import { plainAnswer, streamedAnswer } from '../e2e/provider.fixture.ts';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import {
  callersOfOtherKind,
  callersWithoutKey,
  callersWithoutSession,
  type RefusedCaller,
} from './callers.fixture.ts';
import { asToldAt, outcomeOf } from './outcome.fixture.ts';
import {
  addresses,
  admitted,
  callAs,
  chooseCaller,
  expectDescribed,
  prepareCall,
  routes,
  type Address,
} from './requests.fixture.ts';
import { nameModel, rows, targetKinds } from './rows.fixture.ts';
import { differenceOf, StateReader } from './snapshot.fixture.ts';
import { buildWorld, type World } from './world.fixture.ts';

const stack = sharedStack();
const unchanged = { added: [], removed: [] };
let world: World;
let state: StateReader;
let refused: readonly RefusedCaller[];

const undo: Undo[] = [];

beforeAll(async () => {
  world = await buildWorld(stack, undo);
  state = await StateReader.open(stack);
  undo.push(() => state.close());
  refused = [...callersWithoutKey(world), ...callersWithoutSession(world), ...callersOfOtherKind(world)];
}, 60_000);
afterAll(() => undoAll(undo));

test('every route has a row in the matrix, and every row has a route', () => {
  expect(Object.keys(rows).sort()).toEqual(routes.map(({ operation }) => operation?.id ?? 'none').sort());
  for (const { operation, paths } of routes)
    expect([operation?.id, rows[operation?.id ?? '']?.targets !== undefined]).toEqual([
      operation?.id,
      paths[0].includes('{'),
    ]);
});

const title = ({ method, path }: Address) => `${method} ${path}`;
const titled = (list: readonly Address[]) => list.map((address) => [title(address), address] as const);
const closed = addresses.filter(({ access }) => access !== 'public');

/**
 * Checks that a response to an unauthorized caller contains no data of the two accounts and no input of the
 * caller.
 */
function expectNothingTold(answer: Answer, { headers }: RefusedCaller): void {
  const told = JSON.stringify(answer.headers) + answer.text;
  for (const mark of [...world.owner.marks, ...world.other.marks]) expect(told).not.toContain(mark);
  const sent = headers['authorization']?.split(' ').at(-1) ?? '';
  if (sent.length > 11) expect(told).not.toContain(sent);
}

// The following test runs first, before authorized calls can change the databases.
describe('a caller without a valid key or login session is rejected and changes nothing', () => {
  test.each(titled(closed))('%s', async (_title, address) => {
    const { access, path, errors } = address;
    if (access === 'public') throw new Error('anybody may call it');
    const call = await prepareCall(world, address, 'own');
    const before = await state.read();
    const outcomes: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const caller of refused) {
      const refusal = caller.refusals[access];
      // If an edge uses an external issuer, the routes for the gateway's own sign-in do not exist.
      if (refusal === undefined || (caller.baseUrl !== undefined && path.startsWith('/v1/auth/'))) continue;
      const answer = await callAs(caller.baseUrl ?? world.baseUrl, call, caller.headers);
      outcomes[caller.name] = outcomeOf(path, answer);
      expected[caller.name] = asToldAt(path, refusal);
      expect(errors).toContain(refusal.split(' ').at(-1));
      expectNothingTold(answer, caller);
    }
    expect(outcomes).toEqual(expected);
    expect(differenceOf(before, await state.read())).toEqual(unchanged);
  });
});

describe('an alternative spelling of a path grants no additional access', () => {
  test.each(titled(closed))('%s', async (_title, address) => {
    const { method, path, body } = await prepareCall(world, address, 'own');
    const before = await state.read();
    const encoded = path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    const spellings = [`${path}/`, `/${path}`, path.replace('/v1/', '/V1/'), `${path}?`, `${path};x`];
    for (const other of [method, 'HEAD', 'OPTIONS'])
      for (const spelling of [...spellings, `/.${path}`, encoded, `/x/..${path}`]) {
        const { status } = await callAs(world.baseUrl, { method: other, path: spelling, body }, {});
        const isRefused = [401, 404, 405].includes(status);
        expect({ other, spelling, isRefused }).toEqual({ other, spelling, isRefused: true });
      }
    expect(differenceOf(before, await state.read())).toEqual(unchanged);
  });
});

describe('a credential gives access to its own account and reveals nothing about another account', () => {
  test.each(admitted.map(({ address, kind }) => [title(address), kind, address] as const))(
    '%s with a %s',
    async (_title, kind, address) => {
      const { id } = address.operation;
      world.provider.setControls(id === 'converseStream' ? streamedAnswer(['Hello.']) : plainAnswer);
      const before = await state.read(world.other.marks);
      const caller = await chooseCaller(world, address, kind);
      const call = await prepareCall(world, address, 'own', caller);
      expectDescribed(world, address, await callAs(world.baseUrl, call, caller.headers));
      expect(differenceOf(before, await state.read(world.other.marks))).toEqual(unchanged);
    },
  );
});

describe('a public route needs no credential and reveals no account data', () => {
  test.each(titled(addresses.filter(({ access }) => access === 'public')))('%s', async (_title, address) => {
    for (const headers of [{}, { authorization: 'Bearer not-a-key' }]) {
      const answer = await callAs(world.baseUrl, await prepareCall(world, address, 'own'), headers);
      expectDescribed(world, address, answer);
      for (const mark of world.owner.marks) expect(answer.text).not.toContain(mark);
    }
  });
});

describe('data of another caller is reported as not found', () => {
  const cases = admitted.filter(({ address }) => address.row.targets !== undefined);
  test.each(cases.map(({ address, kind }) => [title(address), kind, address] as const))(
    '%s with a %s',
    async (_title, kind, address) => {
      const { path, row } = address;
      const caller = await chooseCaller(world, address, kind);
      const before = await state.read(world.other.marks);
      const called = world.provider.requests.length;
      const answers = new Set<string>();
      for (const target of targetKinds.filter((each) => each !== 'own')) {
        const call = await prepareCall(world, address, target, caller);
        const answer = await callAs(world.baseUrl, call, caller.headers);
        const outcome = outcomeOf(path, answer);
        const isAllowed = (row.notOwn ?? '404 not_found').split('|').includes(outcome);
        expect({ target, outcome, isAllowed }).toEqual({ target, outcome, isAllowed: true });
        // An error response may repeat the caller's own input.
        const written = call.path.split('/').map(decodeURIComponent);
        const told = written.reduce(
          (text, part) => (part === '' ? text : text.replaceAll(part, '')),
          answer.text,
        );
        for (const mark of world.other.marks) expect(told).not.toContain(mark);
        answers.add(told.replaceAll(String(answer.headers['x-request-id']), ''));
      }
      // All responses are identical, so a caller cannot find out which ids exist.
      if (row.notOwn === undefined) expect([...answers]).toHaveLength(1);
      expect(world.provider.requests).toHaveLength(called);
      expect(differenceOf(before, await state.read(world.other.marks))).toEqual(unchanged);
    },
  );

  const forwarding = admitted.filter(({ address }) => address.access === 'pipeline' && !address.row.targets);
  test.each(forwarding.map(({ address, kind }) => [title(address), kind, address] as const))(
    '%s for a provider that only the other account has connected',
    async (_title, kind, address) => {
      const caller = await chooseCaller(world, address, kind);
      const call = await prepareCall(world, address, 'own', caller);
      const called = world.provider.requests.length;
      const body = { ...(call.body as object), model: nameModel(world.other) };
      const answer = await callAs(world.baseUrl, { ...call, body }, caller.headers);
      expect(outcomeOf(address.path, answer)).toMatch(/^(400|404|415) /);
      expect(world.provider.requests).toHaveLength(called);
    },
  );
});
