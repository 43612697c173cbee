import type { RequestEventV1, RoutingPolicy } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, startStack } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import { calibrateAccount, type RecallChange } from '../../../apps/worker/src/jobs/calibrate/calibrate.ts';
import { createTelemetryDatabase } from '../../../apps/worker/src/persistence/telemetry-database.ts';
import { describeCalibration } from '../../../apps/worker/src/queries/routing/calibration.ts';
import { newAccountId, startRecorder, type Recorder } from '../recording/recorder.fixture.ts';
import { undoAll, type Undo } from '../stack.fixture.ts';

const bucket = 'act:51-100';
const minuteMs = 60_000;
/** The time of the first test request, five days ago. One conversation starts each minute. */
const startMs = Date.now() - 5 * 86_400_000;
const undo: Undo[] = [];
let recorder: Recorder;
let database: ReturnType<typeof createTelemetryDatabase>;

beforeAll(async () => {
  // Without the account service, the stack's worker starts no calibration.
  const stack = await startStack({ apps: ['worker'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  database = createTelemetryDatabase({ url: stack.dev.postgres.telemetry });
  undo.push(() => database.close());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

type Plan = NonNullable<RequestEventV1['plan']>;

/** One of the account's conversations, which is either a shadow conversation or pruned to ten tools. */
interface Conversation {
  readonly place: number;
  readonly toolList: string;
  /**
   * The smallest K at which the plan would have forwarded the needed tool. Only shadow conversations have
   * `heldFromK`. In all shadow conversations, the model calls the needed tool.
   */
  readonly heldFromK?: number;
  readonly isRecovered?: boolean;
}

function renderPlan({ place, toolList, heldFromK }: Conversation): Plan {
  return {
    ...{ intent: 'act', method: 'semantic', k: 10, defect: null, candidates: [], bucket, toolList },
    kReason: heldFromK === undefined ? 'calibrated' : 'shadow',
    policyVersion: 'semantic.1/p1/c1',
    sessionKey: `conversation-${place}`,
    recovery: heldFromK === undefined ? 'in_place' : null,
    ...(heldFromK === undefined
      ? {}
      : {
          needs: [{ tool: 'needed', heldFromK, isPlanned: heldFromK <= 10 }],
          ...{ isArmed: true, shadowShare: 0.2 },
        }),
  };
}

async function record(accountId: string, conversations: readonly Conversation[]): Promise<void> {
  for (const conversation of conversations) {
    const hex = (startMs + conversation.place * minuteMs).toString(16).padStart(12, '0');
    const requestId = `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
    const accepted = { ...createAcceptedEvent({ accountId }), requestId };
    await recorder.spool.accept(accepted);
    const found = conversation.isRecovered === true ? ['needed'] : [];
    const change: Partial<RequestEventV1> = {
      ...{ toolsIn: 80, toolsOut: 12, plan: renderPlan(conversation), recoveredTools: found },
      calledTools: conversation.heldFromK === undefined ? found : ['needed'],
    };
    recorder.spool.finish(createEndedEvent(accepted, change), null);
  }
  await recorder.untilCommitted();
}

/**
 * Creates an account's conversations. Every fifth conversation is a shadow conversation. Among the other four
 * fifths, every `recovered`-th conversation recovers a tool.
 */
function traffic(
  from: number,
  count: number,
  {
    toolList,
    recovered,
    heldFromK,
  }: { toolList: string; recovered: number; heldFromK: (at: number) => number },
): Conversation[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ place: from + at, toolList },
    ...(at % 5 === 0 ? { heldFromK: heldFromK(at / 5) } : { isRecovered: at % recovered === 1 }),
  }));
}

async function calibrateNow(accountId: string) {
  const [policies, changes]: [RoutingPolicy[], RecallChange[]] = [[], []];
  await calibrateAccount(
    {
      database,
      readGoals: () => Promise.resolve({ recallTarget: 0.9, hasRecovery: true }),
      announce: (policy) => policies.push(policy),
      onRecallChange: (change) => changes.push(change),
    },
    accountId,
  );
  const shown = await describeCalibration(database, { accountId, recallTarget: 0.9 });
  const find = <Bucket extends { bucket: string }>(buckets: readonly Bucket[] | undefined) =>
    buckets?.find((each) => each.bucket === bucket);
  return { policy: find(policies.at(-1)?.buckets), shown: find(shown.buckets), changes };
}

test('a new tool list restarts the recall test; a fall of recall turns pruning off for the bucket and causes an alert', async () => {
  const accountId = newAccountId();
  const usual = { toolList: 'a'.repeat(16), recovered: 50, heldFromK: (at: number) => 1 + (at % 8) };
  await record(accountId, traffic(0, 500, usual));
  const first = await calibrateNow(accountId);
  expect(first.policy).toMatchObject({ state: 'calibrated', retest: null });
  expect(first.changes).toEqual([]);

  const changed = { ...usual, toolList: 'b'.repeat(16) };
  await record(accountId, traffic(500, 20, changed));
  const second = await calibrateNow(accountId);
  const since = new Date(startMs + 500 * minuteMs).toISOString();
  const retest = { reason: 'setup_changed', since };
  expect(second.policy).toMatchObject({ state: 'calibrated', retest });
  expect(second.shown).toMatchObject({ basis: 'calibrated', retest });
  expect(second.changes).toContainEqual({ accountId, bucket, kind: 'setup_changed', since });

  const fallen = { ...changed, recovered: 3, heldFromK: (at: number) => (at % 3 === 0 ? 60 : 1 + (at % 8)) };
  await record(accountId, traffic(520, 120, fallen));
  const third = await calibrateNow(accountId);
  expect(third.policy).toMatchObject({
    state: 'off',
    isOff: true,
    reason: 'recall_fell',
    k: null,
    retest: null,
  });
  expect(third.shown).toMatchObject({ basis: 'off', reason: 'recall_fell', k: null });
  expect(third.shown?.restarted_at).not.toBeNull();
  expect(third.changes).toContainEqual(expect.objectContaining({ accountId, bucket, kind: 'fell' }));
});
