import {
  listRequests,
  readRequests,
  type RequestEventV1,
  type RequestLogEntry,
  type RequestOrder,
} from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, startStack } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import { listAll, newAccountId, startRecorder, type Recorder } from '../recording/recorder.fixture.ts';
import { undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let recorder: Recorder;
/** The account of the tests, and an account with equal rows. */
const [accountId, other] = [newAccountId(), newAccountId()];
let rows: readonly RequestLogEntry[];

const startedAt = Date.now() - 60_000;
const agentSession = uuidv7();

/** One request a row, with the time of arrival in milliseconds after `startedAt`. */
const written: readonly (Partial<RequestEventV1> & { readonly atMs: number })[] = [
  { atMs: 0, sessionId: 'Deploy 100%', costUsd: 0.5, ...took(900) },
  { atMs: 10, sessionId: 'deploy 1000', costUsd: null, ...took(20) },
  { atMs: 20, sessionId: 'snake_case', costUsd: 0.25, ...took(900) },
  { atMs: 30, sessionId: 'snakeXcase', costUsd: 0.5, ...took(1) },
  { atMs: 40, sessionId: agentSession, costUsd: 0, ...took(5_000) },
  { atMs: 50, model: 'gpt-4o', requestedModel: 'svc/AUTO', costUsd: 1e-9, ...took(30) },
  { atMs: 60, calledTools: ['get_weather'], costUsd: null, ...took(30) },
  { atMs: 70, recoveredTools: ['get_weather_forecast'], costUsd: 2, ...took(31) },
  {
    ...{ atMs: 80, status: 'error', httpStatus: 429, costUsd: null, ...took(4) },
    ...{ errorCode: 'rate_limit_exceeded', errorMessage: 'Slow down, back\\slash' },
  },
  ...Array.from({ length: 120 }, (_, at) => ({ atMs: 100 + at, costUsd: at % 7, ...took(at % 11) })),
];

function took(totalMs: number): Pick<RequestEventV1, 'ms'> {
  return { ms: { ...createEndedEvent().ms, total: totalMs } };
}

/** Returns a UUIDv7 with the given timestamp. */
function idAt(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
}

beforeAll(async () => {
  stack = await startStack({ apps: ['worker'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  for (const account of [accountId, other])
    for (const { atMs, ...change } of written) {
      const accepted = { ...createAcceptedEvent({ accountId: account }), requestId: idAt(startedAt + atMs) };
      await recorder.spool.accept(accepted);
      recorder.spool.finish(createEndedEvent(accepted, change), null);
    }
  await recorder.untilCommitted();
  rows = (await listAll(recorder.messaging, accountId)).requests;
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

/** The numbers of the rows in `written` that the worker lists. */
async function search(text: string): Promise<readonly number[]> {
  const page = await recorder.messaging.call(listRequests, {
    ...{ accountId, limit: 100, offset: 0 },
    filter: { search: text },
  });
  expect(page.total).toBe(page.requests.length);
  return page.requests.map(({ created_at }) => numberAt(Date.parse(created_at) - startedAt)).reverse();
}
const numberAt = (atMs: number) => written.findIndex((each) => each.atMs === atMs);

test.each([
  ['a part of a session id, in any case', 'DEPLOY', [0, 1]],
  ['a percent sign, which is no wildcard', '100%', [0]],
  ['an underscore, which is no wildcard', 'snake_c', [2]],
  ['a backslash', 'back\\slash', [8]],
  ['a session id that looks like a request id', agentSession, [4]],
  ['a part of a requested model', 'svc/auto', [5]],
  ['a part of a model', 'gpt-4', [5]],
  ['the whole name of a called tool', 'get_weather', [6]],
  ['the whole name of a recovered tool', 'get_weather_forecast', [7]],
  ['an error code', 'rate_limit', [8]],
  ['a part of an error message', 'slow DOWN', [8]],
  ['a text that no request contains', 'nowhere', []],
])('a search finds %s', async (_what, text, found) => {
  expect(await search(text)).toEqual(found);
});

test('a search finds a request by its id, and no request of another account', async () => {
  const [mine, theirs] = [rows[0]!.id, (await listAll(recorder.messaging, other)).requests[0]!.id];
  expect(await search(mine.toUpperCase())).toEqual([written.length - 1]);
  expect(await search(theirs)).toEqual([]);
});

const valueOf: Record<RequestOrder['by'], (row: RequestLogEntry) => number | null> = {
  created_at: ({ created_at }) => Date.parse(created_at),
  cost_usd: ({ cost_usd }) => cost_usd,
  duration: ({ ms }) => ms.total,
};

/** Sorts the rows as the interface defines it: rows without a value come last, and newer rows come first. */
function sorted({ by, isDescending }: RequestOrder): readonly RequestLogEntry[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((one, two) => {
    const [a, b] = [valueOf[by](one), valueOf[by](two)];
    if (a === null || b === null) return Number(a === null) - Number(b === null) || newerFirst(one, two);
    return sign * (a - b) || newerFirst(one, two);
  });
}
const newerFirst = (one: RequestLogEntry, two: RequestLogEntry) => (one.id < two.id ? 1 : -1);

const orders = (['created_at', 'cost_usd', 'duration'] as const).flatMap((by) =>
  [true, false].map((isDescending) => ({ by, isDescending })),
);

test.each(orders)('requests are sorted by $by (descending: $isDescending), page by page', async (order) => {
  const listed: RequestLogEntry[] = [];
  for (let offset = 0; offset < rows.length; offset += 50) {
    const page = { accountId, limit: 50, offset, order };
    listed.push(...(await recorder.messaging.call(listRequests, page)).requests);
  }
  expect(listed).toEqual(sorted(order));
});

test.each(orders)('a large page sorted by $by continues with the ids of further requests', async (order) => {
  const call = { accountId, limit: 100, offset: 5, order, further: 400 };
  const { total, requests, further } = await recorder.messaging.call(listRequests, call);
  const expected = sorted(order).slice(5);
  expect(total).toBe(rows.length);
  expect(requests).toEqual(expected.slice(0, 100));
  expect(further).toEqual(expected.slice(100).map(({ id }) => id));
  const ids = further ?? [];
  const rest = await recorder.messaging.call(readRequests, { accountId, ids });
  expect(rest.requests).toEqual(expected.slice(100));
  expect((await recorder.messaging.call(readRequests, { accountId: other, ids })).requests).toEqual([]);
});
