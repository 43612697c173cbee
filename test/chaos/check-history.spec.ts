import { checkHistory, promises, type PromiseName } from './check-history.ts';
import { accessOf, emptyHistory, faultOf, operationOf, rowOf } from './histories.fixture.ts';
import type { History, Operation } from './history.ts';

/** A short history that keeps all promises, with one served chat, one revocation and one fault. */
const good: History = {
  ...emptyHistory,
  operations: [
    operationOf('op-1'),
    operationOf('op-2', { kind: 'key-revoke', subjectKeyId: 'key-2', startMs: 2_000, endMs: 2_050 }),
    operationOf('op-3', { keyId: 'key-2', startMs: 4_000, status: 401, code: 'invalid_api_key' }),
    operationOf('op-4', { startMs: 50_100, status: 503, code: 'service_unavailable' }),
    accessOf('op-5', { register: 'policy:account-1', action: 'read', value: 'first', startMs: 6_000 }),
  ],
  faults: [faultOf({ kind: 'stop', target: 'account', startedMs: 50_000, endedMs: 52_000 })],
  upstream: [{ operation: 'op-1', atMs: 1_050, tools: ['read'] }],
  rows: [rowOf('op-1', { toolsSaved: 700, netSaved: 700 })],
  ledger: [{ requestId: 'request-op-1', accountId: 'account-1', toolsSaved: 700, compressionSaved: 0 }],
  initial: { 'policy:account-1': 'first' },
  deniedTools: { 'key-1': ['forbidden_tool'] },
};

const add = (...operations: readonly Operation[]): Partial<History> => ({
  operations: [...good.operations, ...operations],
});

const farRefusal = operationOf('far', {
  ...{ edge: 'far-edge', startMs: 51_000, status: 429, code: 'rate_limit_exceeded' },
});

const lostWrite = (register: string): Partial<History> =>
  add(
    accessOf('bad-1', { register, action: 'write', value: 'a', startMs: 10 }),
    accessOf('bad-2', { register, action: 'read', value: 'a', startMs: 30 }),
    accessOf('bad-3', { register, action: 'write', value: 'b', startMs: 50 }),
    accessOf('bad-4', { register, action: 'read', value: 'a', startMs: 70 }),
    accessOf('bad-5', { register, action: 'read', value: 'b', startMs: 90 }),
  );

const served = (count: number, everyMs: number, keyId: string): Operation[] =>
  Array.from({ length: count }, (_, at) =>
    operationOf(`limited-${at}`, { keyId, startMs: at * everyMs, endMs: at * everyMs + 1 }),
  );
const rowsOf = (operations: readonly Operation[], netSaved = 0) =>
  operations.map(({ id, keyId }) => rowOf(id, { keyId, netSaved, toolsSaved: netSaved }));

/** Histories that each break one promise. */
const bad: readonly (readonly [PromiseName, string, Partial<History>])[] = [
  ['everyAcceptedRequestHasOneRow', 'a served chat without a row', { rows: [], ledger: [] }],
  [
    'everyAcceptedRequestHasOneRow',
    'a chat with two rows',
    { rows: [...good.rows, rowOf('op-1', { id: 'x' })] },
  ],
  [
    'everyAcceptedRequestHasOneRow',
    'a forwarded chat without a row',
    {
      ...add(operationOf('bad-1', { status: 0, isWhole: false, requestId: null })),
      upstream: [{ operation: 'bad-1', atMs: 1_050, tools: [] }],
    },
  ],
  [
    'everyAcceptedRequestHasOneRow',
    'a row with another request id',
    { rows: [rowOf('op-1', { id: 'request-x' })] },
  ],
  [
    'rowsHaveStatusAndTokens',
    'a served chat with the status error',
    { rows: [rowOf('op-1', { status: 'error' })] },
  ],
  ['rowsHaveStatusAndTokens', 'a row with too few tokens', { rows: [rowOf('op-1', { promptTokens: 10 })] }],
  [
    'rowsHaveStatusAndTokens',
    'an interrupted row without a kill of the edge',
    { rows: [rowOf('op-1', { status: 'interrupted' })] },
  ],
  ['ledgerEqualsLog', 'a row without a ledger entry', { ledger: [] }],
  ['ledgerEqualsLog', 'a row with two ledger entries', { ledger: [...good.ledger, ...good.ledger] }],
  [
    'ledgerEqualsLog',
    'a ledger entry with other savings',
    { ledger: [{ ...good.ledger[0]!, toolsSaved: 800 }] },
  ],
  [
    'ledgerEqualsLog',
    'a ledger entry without a row',
    { ledger: [...good.ledger, { ...good.ledger[0]!, requestId: 'request-x' }] },
  ],
  [
    'noSuccessAfterRevocation',
    'a chat that is served 1.5 s after a revocation without faults',
    add(operationOf('bad-1', { keyId: 'key-2', startMs: 3_550, endMs: 3_600 })),
  ],
  [
    'noSuccessAfterRevocation',
    'a chat that is served 11 s after a revocation during a fault',
    {
      ...add(operationOf('bad-1', { keyId: 'key-2', startMs: 13_100, endMs: 13_200 })),
      faults: [...good.faults, faultOf({ startedMs: 1_900, endedMs: 2_500 })],
    },
  ],
  [
    'noDeniedToolUpstream',
    'a tool that was denied during the whole run',
    { upstream: [{ operation: 'op-1', atMs: 1_050, tools: ['forbidden_tool'] }] },
  ],
  [
    'noDeniedToolUpstream',
    'a tool that was denied two seconds earlier',
    {
      ...add(
        operationOf('bad-1', {
          ...{ kind: 'tool-list', subjectKeyId: 'key-3', startMs: 100, endMs: 200 },
          accesses: [{ register: 'list:key-3', action: 'write', value: 'mark_1' }],
        }),
        operationOf('bad-2', { keyId: 'key-3', startMs: 2_200, endMs: 2_300 }),
      ),
      upstream: [{ operation: 'bad-2', atMs: 2_250, tools: ['mark_1'] }],
    },
  ],
  [
    'noAcknowledgedWriteIsLost',
    'a last read that returns a replaced value',
    add(
      accessOf('bad-1', { register: 'key:a', action: 'write', value: 'a', startMs: 10 }),
      accessOf('bad-2', { register: 'key:a', action: 'write', value: 'b', startMs: 30 }),
      accessOf('bad-3', { register: 'key:a', action: 'read', value: 'a', startMs: 50 }),
    ),
  ],
  ['keysAreLinearizable', 'a key whose old name comes back', lostWrite('key:a')],
  ['toolListsAreLinearizable', 'a tool list that comes back', lostWrite('list:a')],
  ['providersAreLinearizable', 'a credential that comes back', lostWrite('provider:a')],
  ['policiesAreLinearizable', 'a policy that comes back', lostWrite('policy:a')],
  ['deletionsLeaveNoRows', 'a table with a deleted account', { leftovers: ['telemetry.request_log'] }],
  [
    'noInternalError',
    'an internal error during a fault',
    add(operationOf('bad-1', { startMs: 51_000, status: 500, code: 'internal_error' })),
  ],
  [
    'errorCodesAreDocumented',
    'a 503 long after the last fault',
    add(operationOf('bad-1', { startMs: 90_000, endMs: 90_100, status: 503, code: 'service_unavailable' })),
  ],
  [
    'errorCodesAreDocumented',
    'a 503 of a chat while only the tool router is down',
    {
      ...add(operationOf('bad-1', { startMs: 900, status: 503, code: 'service_unavailable' })),
      faults: [...good.faults, faultOf({ target: 'tool-router', startedMs: 800, endedMs: 1_500 })],
    },
  ],
  [
    'errorCodesAreDocumented',
    'a rejected API key that no client revoked',
    add(operationOf('bad-1', { status: 401, code: 'invalid_api_key' })),
  ],
  [
    'errorCodesAreDocumented',
    'a 429 of a key without a low limit, while Redis responds',
    add(operationOf('bad-1', { startMs: 51_000, status: 429, code: 'rate_limit_exceeded' })),
  ],
  [
    'errorCodesAreDocumented',
    'a 429 of a key without a low limit, while only the links of the other edge stall',
    {
      ...add(operationOf('bad-1', { startMs: 51_000, status: 429, code: 'rate_limit_exceeded' })),
      stalls: [{ startMs: 50_900, endMs: 51_300 }],
    },
  ],
  ['errorCodesAreDocumented', 'a 429 from the far edge without a stall of its links', add(farRefusal)],
  ['errorCodesAreDocumented', 'an unknown code', add(operationOf('bad-1', { status: 418, code: 'teapot' }))],
  [
    'errorCodesAreDocumented',
    'a broken connection without a fault',
    add(operationOf('bad-1', { status: 0, isWhole: false, requestId: null })),
  ],
  [
    'nothingTakesTooLong',
    'a request of 11 s',
    add(operationOf('bad-1', { kind: 'key-list', startMs: 0, endMs: 11_000 })),
  ],
  [
    'failuresAreFast',
    'a 503 after 5 s',
    add(
      operationOf('bad-1', {
        ...{ kind: 'key-list', startMs: 50_100, endMs: 55_100 },
        ...{ status: 503, code: 'service_unavailable' },
      }),
    ),
  ],
  ['everythingRecovers', 'a recovery of 25 s', { recoveryMs: 25_000 }],
  [
    'rateWindowsHold',
    'eleven of ten requests in a minute',
    {
      ...add(...served(11, 5_000, 'key-9')),
      rows: [...good.rows, ...rowsOf(served(11, 5_000, 'key-9'))],
      limitedKeys: [{ keyId: 'key-9', rateLimitRpm: 10, dailyTokenBudget: null }],
    },
  ],
  [
    'budgetsHold',
    'a key that saves two requests more than its budget',
    {
      ...add(...served(12, 100, 'key-9')),
      rows: [...good.rows, ...rowsOf(served(12, 100, 'key-9'), 100)],
      limitedKeys: [{ keyId: 'key-9', rateLimitRpm: null, dailyTokenBudget: 1_000 }],
    },
  ],
  ['logsHaveNoSecrets', 'a secret in a log', { leaks: ['account: key of account-1'] }],
];

it('a correct history has no violation', () => {
  expect(checkHistory(good)).toEqual([]);
});

it.each(bad)('%s finds %s', (promise, _, difference) => {
  const found = promises[promise]({ ...good, ...difference });
  expect(found.length).toBeGreaterThan(0);
});

it('every promise has a history that breaks it', () => {
  expect(new Set(bad.map(([promise]) => promise))).toEqual(new Set(Object.keys(promises)));
});

describe('documented exceptions are no violations', () => {
  it.each<[string, Partial<History>]>([
    [
      'an interrupted row of a chat whose edge was killed at its end',
      {
        rows: [rowOf('op-1', { status: 'interrupted' })],
        ledger: [],
        faults: [faultOf({ target: 'edge-gateway', startedMs: 1_200, endedMs: 3_000 })],
        operations: [operationOf('op-1')],
      },
    ],
    [
      'a chat that is served 5 s after a revocation during a fault',
      {
        operations: [
          ...good.operations,
          operationOf('late', { keyId: 'key-2', startMs: 7_000, endMs: 7_050, requestId: 'request-late' }),
        ],
        rows: [...good.rows, rowOf('late', { keyId: 'key-2' })],
        faults: [...good.faults, faultOf({ startedMs: 1_900, endedMs: 2_500 })],
      },
    ],
    [
      'a request of 12 s whose edge was stopped for 3 s',
      {
        operations: [
          ...good.operations,
          operationOf('slow', { kind: 'key-list', startMs: 20_000, endMs: 32_000 }),
        ],
        faults: [
          ...good.faults,
          faultOf({ kind: 'stop', target: 'edge-gateway', startedMs: 21_000, endedMs: 24_000 }),
        ],
      },
    ],
    [
      'a 429 from the far edge while its links stall',
      {
        ...add(farRefusal),
        stalls: [{ startMs: 50_900, endMs: 51_300 }],
      },
    ],
  ])('%s', (_, difference) => {
    expect(checkHistory({ ...good, ...difference })).toEqual([]);
  });
});
