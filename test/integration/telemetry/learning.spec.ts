import {
  forgetAccountRequests,
  hashToolList,
  type PlanToolsRequest,
  type RequestEventV1,
  type RoutingPolicy,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { createMetrics } from '@gateway/observability';
import { createAcceptedEvent, createEndedEvent, startStack } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import type { PlannedTools } from '../../../apps/tool-router/src/plan-tools/choose-plan.ts';
import { ToolPlanner } from '../../../apps/tool-router/src/plan-tools/plan-tools.ts';
import { recallPriors } from '../../../apps/tool-router/src/policy/recall-prior.ts';
import type { ToolRanker } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import { openRouterShares } from '../../../apps/tool-router/src/shares/router-shares.ts';
import { orderByScore } from '../../../apps/tool-router/src/tool-index/keyword-scores.ts';
import { ToolMemory } from '../../../apps/tool-router/src/tool-index/tool-memory.ts';
import { defineTool, planRequest } from '../../../apps/tool-router/src/tool-index/tools.fixture.ts';
import { calibrateAccount } from '../../../apps/worker/src/jobs/calibrate/calibrate.ts';
import { createTelemetryDatabase } from '../../../apps/worker/src/persistence/telemetry-database.ts';
import {
  describeCalibration,
  getRoutingPolicy,
} from '../../../apps/worker/src/queries/routing/calibration.ts';
import { newAccountId, startRecorder, type Recorder } from '../recording/recorder.fixture.ts';
import { connectAs, eventually, undoAll, type Undo } from '../stack.fixture.ts';

const recallTarget = 0.9;
const minuteMs = 60_000;
const startMs = Date.now() - 5 * 86_400_000;
/** The account needs tools that the ranker ranks far below the best tools. */
const neededNames = ['tool_50', 'tool_55', 'tool_58'];
const list = Array.from({ length: 60 }, (_, at) => defineTool(`tool_${at}`, `does thing number ${at}`));
const toolHashes = list.map(({ hash }) => hash);
const listHash = hashToolList(toolHashes);
/** First turns with different intents, so that the conversations belong to two buckets. */
const turns = ['Please book the flight to Oslo.', 'Which flights are there on Monday?'];

/** Ranks the tools in the order of their numbers. */
const ranker: ToolRanker = {
  rank(index) {
    const raw = index.names.map((name) => 1 / (1 + Number(name?.split('_')[1])));
    const sum = raw.reduce((all, each) => all + each, 0);
    const scores = Float64Array.from(raw, (each) => each / sum);
    const facts = {
      method: 'semantic',
      methodReason: 'semantic',
      rankedBy: 'semantic.2.test',
      namesTop: true,
    } as const;
    return {
      ...facts,
      scores,
      order: orderByScore(index, scores),
      topScore: 100,
      evidence: 1,
      confidence: 1,
    };
  },
};

const undo: Undo[] = [];
let recorder: Recorder;
let account: Messaging;
let database: ReturnType<typeof createTelemetryDatabase>;

beforeAll(async () => {
  // Without the account service, the stack's worker starts no calibration.
  const stack = await startStack({ apps: ['worker'] });
  undo.push(() => stack.stop());
  recorder = await startRecorder(stack);
  undo.push(() => recorder.close());
  account = await connectAs(stack, 'account');
  undo.push(() => account.close());
  database = createTelemetryDatabase({ url: stack.dev.postgres.telemetry });
  undo.push(() => database.close());
}, 180_000);
afterAll(() => undoAll(undo), 120_000);

/** Plans the first turn of a conversation like the tool router, under a policy read from Postgres. */
async function plan(
  policy: RoutingPolicy | null,
  place: number,
  fields: Partial<PlanToolsRequest> = {},
): Promise<PlannedTools> {
  const lists = new ToolMemory({ definitionsBytesMax: 1e8, listsBytesMax: 1e8 });
  lists.define(list);
  const planner = new ToolPlanner({
    ...{ lists, ranker, priors: recallPriors, policies: { find: () => policy }, instanceId: 'one' },
    share: openRouterShares(createMetrics('tool-router')).loop,
  });
  const userTurns = [turns[place % turns.length] ?? ''];
  const price = {
    ...{ cacheRead: null, cacheWrite: null, output: 5, cachedTokensMin: 1024 },
    ...{ headTokens: 0, listTokens: 1_000_000 },
  };
  const reply = await planner.plan(
    planRequest({ listHash, toolHashes, userTurns, recallTarget, mayRecover: true, price, ...fields }),
  );
  if (reply.status !== 'planned') throw new Error('the tools are known');
  return reply;
}

/** Sends a shadow conversation through the planner and the request log. */
async function recordShadow(accountId: string, policy: RoutingPolicy | null, place: number): Promise<void> {
  const reply = await plan(policy, place, { shadow: { at: 0, share: 1 } });
  const tool = neededNames[place % neededNames.length] ?? '';
  const position = list.findIndex(({ name }) => name === tool);
  const found = reply.candidates.find((each) => each.position === position);
  const hex = (startMs + place * minuteMs).toString(16).padStart(12, '0');
  const accepted = {
    ...createAcceptedEvent({ accountId }),
    requestId: `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`,
  };
  const unlearned = reply.candidates.flatMap((each) => (each.unlearned ? [each.unlearned] : []));
  const logged: NonNullable<RequestEventV1['plan']> = {
    ...{ intent: reply.intent, method: reply.method, k: reply.k, kReason: 'shadow', defect: null },
    ...{ policyVersion: reply.policyVersion, bucket: reply.bucket, recovery: null },
    ...{ sessionKey: `conversation-${place}`, toolList: listHash.slice(0, 16) },
    ...{ isArmed: reply.recovery.armed, shadowShare: 0.2 },
    candidates: reply.candidates.map(({ position: at, score }, rank) => ({
      ...{ name: list[at]?.name ?? '', score, rank: rank + 1, alwaysIn: null },
      forwarded: reply.forwarded.includes(at),
    })),
    ...(unlearned.length === 0 ? {} : { unlearned }),
    needs: [
      {
        ...{ tool, heldFromK: found?.heldFromK ?? 60, isPlanned: reply.forwarded.includes(position) },
        ...(found?.learnedFromK === undefined ? {} : { learnedFromK: found.learnedFromK }),
      },
    ],
  };
  await recorder.spool.accept(accepted);
  const change = { toolsIn: 60, toolsOut: 60, plan: logged, calledTools: [tool] };
  recorder.spool.finish(createEndedEvent(accepted, change), null);
}

async function calibrateNow(accountId: string, learns: boolean): Promise<RoutingPolicy | null> {
  const readGoals = () => Promise.resolve({ recallTarget, hasRecovery: true, learns });
  await calibrateAccount({ database, readGoals, announce: () => undefined }, accountId);
  return (await getRoutingPolicy(database, { accountId, version: null })).policy;
}

/** Records shadow conversations in two periods, with a calibration after each period. */
async function runAccount(accountId: string, learns: boolean) {
  for (let place = 0; place < 30; place += 1) await recordShadow(accountId, null, place);
  await recorder.untilCommitted();
  const first = await calibrateNow(accountId, learns);
  for (let place = 30; place < 90; place += 1) await recordShadow(accountId, first, place);
  await recorder.untilCommitted();
  return { first, second: await calibrateNow(accountId, learns) };
}

const countPolicies = (accountId: string) => database.forAccount(accountId).routingPolicy.count();

test('an account trains heads, serves a smaller K with them, and loses them when the account is deleted', async () => {
  const [accountId, other] = [newAccountId(), newAccountId()];
  const { first, second } = await runAccount(accountId, true);
  const plain = await runAccount(other, false);

  // The first head exists before any conversation was measured with it, so no bucket uses the head yet.
  expect(first?.heads).toMatchObject([{ list: listHash.slice(0, 16), conversations: 30 }]);
  expect(first?.buckets.some(({ learned }) => learned?.isUsed === true)).toBe(false);
  expect(plain.second?.heads ?? []).toEqual([]);
  expect(plain.second?.buckets.some(({ learned }) => learned != null)).toBe(false);

  // Each of the two intents has 30 conversations with the head, which all intents share.
  const shown = await describeCalibration(database, { accountId, recallTarget });
  for (const place of [0, 1]) {
    const learned = await plan(second, place);
    const without = await plan(plain.second, place);
    expect(learned.policyVersion).toContain('+head');
    expect(learned.forwarded.map((position) => list[position]?.name)).toEqual(
      expect.arrayContaining(neededNames),
    );
    expect(learned.forwarded.length).toBeLessThan(10);
    expect(without.forwarded.length).toBeGreaterThan(45);
    const bucket = second?.buckets.find(({ bucket: name }) => name === learned.bucket);
    expect(bucket?.learned).toMatchObject({ isUsed: true, k: learned.k });
    expect(shown.buckets.find(({ bucket: name }) => name === learned.bucket)?.learning).toMatchObject({
      used: true,
      k: learned.k,
      decided_by: bucket?.learned?.decidedBy,
    });
  }

  expect(await countPolicies(accountId)).toBeGreaterThan(0);
  await eventually(async () =>
    (await account.call(forgetAccountRequests, { accountId })).isDone ? true : undefined,
  );
  expect(await countPolicies(accountId)).toBe(0);
  expect((await getRoutingPolicy(database, { accountId, version: null })).policy).toBeNull();
  // A calibration that runs after the deletion stores no heads.
  expect(await calibrateNow(accountId, true)).toBeNull();
  expect(await countPolicies(other)).toBeGreaterThan(0);
}, 120_000);

test('an account that turns learning off loses its heads with the next policy', async () => {
  const accountId = newAccountId();
  const { second } = await runAccount(accountId, true);
  expect(second?.heads).toHaveLength(1);
  const off = await calibrateNow(accountId, false);
  expect(off?.heads ?? []).toEqual([]);
  expect(off?.buckets.some(({ learned }) => learned != null)).toBe(false);
  const planned = await plan(off, 0);
  expect(planned.policyVersion).not.toContain('+head');
}, 120_000);
