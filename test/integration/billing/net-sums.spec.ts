import {
  describeBilling,
  listDailyUsage,
  listKeyUsage,
  summarizeUsage,
  tokensSaved,
  type RequestEventV1,
} from '@gateway/contracts';
import { startStack } from '@gateway/testing';
import fc from 'fast-check';
import { newAccountId, startRecorder, type Recorder } from '../recording/recorder.fixture.ts';
import { undoAll, untilDayLasts, type Stack, type Undo } from '../stack.fixture.ts';
import { openLedgerEnds, type LedgerEnds } from './ledger.fixture.ts';

const undo: Undo[] = [];
let stack: Stack;
let recorder: Recorder;
let ends: LedgerEnds;

beforeAll(async () => {
  await untilDayLasts(120_000);
  stack = await startStack({ apps: ['worker', 'billing'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  ends = openLedgerEnds(stack);
  undo.push(() => ends.close());
}, 280_000);
afterAll(() => undoAll(undo), 120_000);

const usage = {
  ...{ inputTokens: 100, outputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0 },
  estimated: false,
};
/** Random fields of requests. In some requests, recovery rounds cost more than the request saves. */
const change: fc.Arbitrary<Partial<RequestEventV1>> = fc.record({
  toolsIn: fc.nat(60),
  toolsOut: fc.nat(60),
  recoveryTokens: fc.oneof(fc.constant(0), fc.nat(8_000)),
  compressionSteps: fc.array(
    fc.record({ step: fc.constant('dedup'), tokensBefore: fc.nat(900), tokensAfter: fc.nat(900) }),
    { maxLength: 2 },
  ),
  status: fc.constantFrom('ok', 'ok', 'error', 'cancelled', 'truncated'),
  usage: fc.constantFrom(usage, usage, null),
});

it('the ledger, usage, billing and the requests have equal net sums, for 300 random requests', async () => {
  const accountId = newAccountId();
  const events: RequestEventV1[] = [];
  for (const each of fc.sample(change, 300)) events.push(await recorder.record(accountId, each));
  await recorder.untilCommitted(60_000);
  await ends.untilSettled();

  const all = events.map((event) => tokensSaved(event));
  const sum = (read: (saved: (typeof all)[number]) => number) =>
    all.reduce((total, saved) => total + read(saved), 0);
  const expected = {
    estimated_tokens_saved: sum(({ tools }) => tools),
    compression_tokens_saved: sum(({ compression }) => compression),
    recovery_tokens_deducted: sum(({ recovery }) => recovery),
    net_tokens_saved: sum(({ net }) => net),
  };
  expect(expected.recovery_tokens_deducted).toBeGreaterThan(0);

  const { messaging } = recorder;
  const { period } = (await messaging.call(describeBilling, { accountId })).billing;
  expect(period).toMatchObject(expected);
  const span = { accountId, from: period.start, to: period.end };
  expect((await messaging.call(summarizeUsage, span)).figures).toMatchObject({ ...expected, requests: 300 });
  const sumsOf = (rows: readonly { net_tokens_saved: number | null }[]) =>
    rows.reduce((total, { net_tokens_saved }) => total + (net_tokens_saved ?? 0), 0);
  expect(sumsOf((await messaging.call(listDailyUsage, span)).days)).toBe(expected.net_tokens_saved);
  expect(sumsOf((await messaging.call(listKeyUsage, span)).keys)).toBe(expected.net_tokens_saved);

  const ledger = await ends.readLedger([accountId]);
  const credits = ledger.map(({ estimated, compression, recovery }) => estimated + compression - recovery);
  expect(credits.reduce((total, credit) => total + credit, 0)).toBe(expected.net_tokens_saved);
  expect(Math.min(...credits)).toBeGreaterThanOrEqual(0);
  expect(ledger).toEqual(await ends.readLog([accountId]));
}, 180_000);
