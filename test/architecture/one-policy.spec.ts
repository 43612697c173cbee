import {
  routingCalibration,
  routingPolicy,
  type RoutingCalibration,
  type RoutingPolicy,
} from '@gateway/contracts';
import type { IntentClass } from '@gateway/interchange';
import { randomFrom } from '@gateway/testing';
import { describeDecision, renderK } from '../../apps/dashboard/src/pages/routing/calibration-model.ts';
import { choosePlan, type PlannedTools } from '../../apps/tool-router/src/plan-tools/choose-plan.ts';
import { recallPriors } from '../../apps/tool-router/src/policy/recall-prior.ts';
import type { TurnRanking } from '../../apps/tool-router/src/ranking/ranker.port.ts';
import type { KeywordIndex } from '../../apps/tool-router/src/tool-index/keyword-index.ts';
import { defineTool, indexTools, planRequest } from '../../apps/tool-router/src/tool-index/tools.fixture.ts';
import {
  calibrate,
  renderPolicy,
  type Calibration,
} from '../../apps/worker/src/jobs/calibrate/make-policy.ts';
import type { ShadowSample } from '../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import type { PolicyGoals } from '../../apps/worker/src/jobs/calibrate/policy-bucket.ts';
import type { PrunedConversation } from '../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import type { Setup } from '../../apps/worker/src/jobs/calibrate/setup-change.ts';
import { renderCalibration } from '../../apps/worker/src/queries/routing/calibration.ts';

/**
 * The number of accounts. The command `POLICY_ACCOUNTS=10000 npm run test:architecture -- one-policy` uses
 * 10,000 accounts.
 */
const accounts = Number(process.env['POLICY_ACCOUNTS'] ?? 2_500);
const accountId = '019a9f5e-0000-7000-8000-000000000001';
const madeAt = new Date(Date.UTC(2026, 10, 20));
const setup = ['list', 'model', 'ranker'] as const;
/** A first user turn for each of two intents. */
const turns: readonly (readonly [IntentClass, string])[] = [
  ['act', 'Please book the flight.'],
  ['lookup', 'Which flights are there on Monday?'],
];
const sizes = [20, 40, 80] as const;
/** The prices make tool definitions expensive, so that pruning always saves money. */
const price = {
  ...{ cacheRead: null, cacheWrite: null, output: 5, cachedTokensMin: 1024 },
  ...{ headTokens: 0, listTokens: 10_000_000 },
};

const indexes = new Map(
  sizes.map((size) => [size, indexTools(Array.from({ length: size }, (_, at) => defineTool(`tool_${at}`)))]),
);
const rankings = new Map(sizes.map((size) => [size, rank(size)]));

function rank(size: number): TurnRanking {
  return {
    scores: Float64Array.from({ length: size }, (_, at) => 1 / (at + 2)),
    order: Uint32Array.from({ length: size }, (_, at) => at),
    ...{ topScore: 0.9, namesTop: true, confidence: 0.9, evidence: 2, rankedBy: 'semantic.1' },
    ...{ method: 'semantic', methodReason: 'semantic' },
  };
}

interface Account {
  readonly policy: RoutingPolicy;
  readonly shown: RoutingCalibration;
}

/**
 * Creates an account with random measurements. The number of measurements and the recall are random. Some
 * accounts are calibrated again after their recall has fallen.
 */
function drawAccount(random: () => number): Account {
  const goals = {
    recallTarget: pick(random, [0.5, 0.8, 0.9, 0.95]),
    hasRecovery: random() < 0.8,
  };
  const draw = {
    scale: 1 + 12 * random(),
    missed: random() < 0.2 ? random() : 0,
    tools: pick(random, sizes),
  };
  const count = Math.floor(140 * random() ** 2);
  const samples = drawSamples(random, 0, count, draw);
  const first = calibrate({ samples, pruned: drawPruned(random, 0, count) }, null, goals);
  const next = random() < 0.25 ? calibrateAgain(random, samples, first, { ...goals, draw }) : first;
  // The database and the message bus transport the routing policy as JSON.
  const stored = { ...structuredClone(next), version: 2, madeAt };
  const policy = routingPolicy.parse(toJson(renderPolicy(accountId, 2, madeAt, stored)));
  const {
    version,
    updatedAt,
    policy: ks,
    buckets,
    recallTarget,
    recoveryRate,
  } = renderCalibration(accountId, stored);
  const shown = routingCalibration.parse(
    toJson({
      ...{ object: 'routing.calibration', recall_target: recallTarget, recovery_rate: recoveryRate },
      ...{ version, policy: ks, buckets, updated_at: updatedAt },
    }),
  );
  return { policy, shown };
}

function calibrateAgain(
  random: () => number,
  samples: readonly ShadowSample[],
  first: Calibration,
  { draw, ...goals }: PolicyGoals & { readonly draw: Draw },
): Calibration {
  // If the tool list changes, the worker detects the lower recall within a few conversations.
  const changed = { ...draw, scale: 40, setup: ['new list', 'model', 'ranker'] as const };
  const later = drawSamples(
    random,
    samples.length,
    Math.floor(50 * random()),
    random() < 0.5 ? changed : draw,
  );
  const pruned = drawPruned(random, 0, 2 * samples.length);
  return calibrate({ samples: [...samples, ...later], pruned }, first, goals);
}

interface Draw {
  readonly scale: number;
  /** The share of plans that missed a tool. */
  readonly missed: number;
  readonly tools: number;
  /** The tool list, model and ranking method. The default is `setup`. */
  readonly setup?: Setup;
}

function drawSamples(random: () => number, from: number, count: number, draw: Draw): ShadowSample[] {
  return Array.from({ length: count }, (_, place) => {
    const calls = 1 + Math.floor(3 * random());
    const needed = Array.from({ length: calls }, () =>
      Math.min(draw.tools, 1 + Math.floor(-Math.log(1 - random()) * draw.scale)),
    );
    const [intent] = pick(random, turns);
    return {
      at: timeOf(from + place),
      bucket: `${intent}:${draw.tools <= 25 ? '1-25' : draw.tools <= 50 ? '26-50' : '51-100'}`,
      neededKs: needed.sort((one, other) => other - one),
      missed: Number(random() < draw.missed),
      isArmed: random() < 0.9,
      ...{ share: 0.2, tools: draw.tools, setup: draw.setup ?? setup },
    };
  });
}

function drawPruned(random: () => number, from: number, count: number): PrunedConversation[] {
  return Array.from({ length: count }, (_, place) => ({
    at: timeOf(from + place),
    bucket: `${pick(random, turns)[0]}:51-100`,
    k: 1 + Math.floor(20 * random()),
    recovered: Number(random() < 0.1),
    setup,
  }));
}

function timeOf(at: number): string {
  return new Date(Date.UTC(2026, 10, 1) + at * 60_000).toISOString();
}

function pick<Value>(random: () => number, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('the list of values is empty');
  return value;
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Returns the tool router's plan for a new conversation. */
function planFor(
  policy: RoutingPolicy,
  turn: string,
  size: (typeof sizes)[number],
  mayRecover: boolean,
): PlannedTools {
  const index: KeywordIndex | undefined = indexes.get(size);
  const ranking = rankings.get(size);
  if (index === undefined || ranking === undefined) throw new Error(`there is no list of ${size} tools`);
  const nothing = new Set<number>();
  const pieces = choosePlan({
    request: { ...planRequest({ listHash: index.listHash, userTurns: [turn] }), mayRecover, price },
    ...{ index, turns: [{ ranking, mentioned: [], carriesOn: false }], rememberedTurns: 0 },
    ...{ newest: ranking, mentioned: nothing, priors: recallPriors, measured: policy },
  });
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  return piece.value;
}

test('router, API and dashboard show one K, one state and one reason', () => {
  const random = randomFrom(1);
  const seen = new Map<string, number>();
  for (let at = 0; at < accounts; at += 1) {
    const { policy, shown } = drawAccount(random);
    const [, turn] = pick(random, turns);
    const size = pick(random, sizes);
    for (const mayRecover of [true, false]) {
      const plan = planFor(policy, turn, size, mayRecover);
      const bucket =
        shown.buckets.find((each) => each.bucket === plan.bucket) ??
        shown.buckets.find((each) => each.bucket === plan.bucket.replace(/^[^:]*/, '*'));
      const told = bucket && compare(plan, bucket, { size, mayRecover });
      if (bucket === undefined) expect(plan.kReason).not.toMatch(/calibrated|recall_off/);
      const state = told ?? 'nothing measured';
      seen.set(state, (seen.get(state) ?? 0) + 1);
    }
  }
  // Together, the simulated accounts cover every calibration state with every reason.
  expect([...seen.keys()].sort()).toEqual([
    'calibrated target_met',
    'nothing measured',
    'off recall_fell',
    'off target_missed',
    'prior too_few_samples',
  ]);
});

interface Request {
  readonly size: number;
  readonly mayRecover: boolean;
}

/**
 * Compares the tool router's plan with the bucket that the API shows. Compares the plan and the bucket with
 * the texts in the dashboard.
 */
function compare(
  plan: PlannedTools,
  bucket: RoutingCalibration['buckets'][number],
  { size, mayRecover }: Request,
): string {
  const words = describeDecision(bucket);
  const shownK = renderK(bucket);
  switch (bucket.basis) {
    case 'calibrated': {
      expect([shownK, bucket.reason]).toEqual([String(bucket.k), 'target_met']);
      expect(words).toContain(`Pruning is on. K = ${String(bucket.k)}:`);
      // `k_without_recovery` applies if recovery would cost more than sending the pruned tools.
      const k = plan.recovery.armed ? bucket.k : bucket.k_without_recovery;
      expect(plan.recovery.armed && !mayRecover).toBe(false);
      // The plan sends all tools if K covers the tool list, or if `k_without_recovery` is unknown.
      // The plan also sends all tools if pruning does not reduce the cost.
      if (plan.k === null) expect(plan.forwarded).toHaveLength(size);
      else expect([plan.k, plan.kReason]).toEqual([k, 'calibrated']);
      const smallest = Math.min(mayRecover ? (bucket.k ?? size) : size, bucket.k_without_recovery ?? size);
      if (smallest < size / 2) expect(plan.k).toBe(k);
      break;
    }
    case 'prior':
      expect([shownK, bucket.k, bucket.reason]).toEqual(['default', null, 'too_few_samples']);
      expect(words).toContain('Pruning is on. The shipped defaults (priors) choose the number of tools');
      expect(plan.kReason).not.toMatch(/calibrated|recall_off/);
      break;
    case 'off':
      expect([shownK, bucket.k]).toEqual(['all', null]);
      expect(words).toContain(
        `Pruning is off, because ${bucket.reason === 'recall_fell' ? 'recall fell' : 'recall was below the target'}`,
      );
      expect([plan.kReason, plan.k, plan.forwarded.length]).toEqual(['recall_off', null, size]);
  }
  return `${bucket.basis} ${bucket.reason}`;
}
