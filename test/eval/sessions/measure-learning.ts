import type { CatalogModel } from '@gateway/model-catalog';
import { lossOf } from '../../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import { makePolicies, measureShadows, type Policies } from '../learning/learned-policies.ts';
import { LearningConversation } from '../learning/learning-account.ts';
import { billSession } from './bill.ts';
import type { SessionData } from './load-sessions.ts';
import { isBound } from './measure-bound.ts';
import { nameOf, priceOf, targets } from './point.ts';
import { prepareSubjects, type SubjectOptions } from './prepare-subjects.ts';
import { promptSizeNames, resize } from './prompt-sizes.ts';
import type { ReplaySubject } from './replay.ts';
import { replaySession, replayStateless } from './replay-session.ts';

/** The number of shadow conversations of each account. The report excludes these conversations. */
const shadowConversations = 100;
/** The assumed recovery rate, which is the prior. */
const recoveryRate = 0.5;

type Row = Readonly<Record<string, string | number>>;
type Options = Pick<SubjectOptions, 'size' | 'lane' | 'perSource'>;

/**
 * Compares the costs and recall without and with account heads. An account has the conversations of one source, which
 * all have the same tool list. The worker computes both policies from the account's shadow conversations. Models with
 * bound reasoning are left out.
 */
export async function measureLearning(
  data: SessionData,
  { perSource, ...list }: Options,
  models: readonly CatalogModel[],
): Promise<Row[]> {
  const isFixed = true;
  const shadows = prepareSubjects(data, {
    ...list,
    isFixed,
    perSource: shadowConversations,
    skip: perSource,
  });
  const reported = prepareSubjects(data, { ...list, isFixed, perSource });
  const rows: Row[] = [];
  for (const [source, own] of Map.groupBy(shadows, ({ session }) => session.source)) {
    const policiesFor = await learnFrom(own, models);
    const served = reported.filter(({ session }) => session.source === source);
    for (const model of models.filter((each) => !isBound(each)))
      for (const recallTarget of targets) {
        const policies = policiesFor(recallTarget);
        for (const learning of ['plain', 'learned'] as const)
          rows.push({
            ...{ account: source, tools: list.size, model: nameOf(model), target: recallTarget },
            learning: learning === 'learned' ? 'with' : 'without',
            ...(await serve(served, { policy: policies[learning], recallTarget, model })),
          });
      }
  }
  return rows;
}

/** Returns the account's policies for each recall target. */
async function learnFrom(
  subjects: readonly ReplaySubject[],
  [model]: readonly CatalogModel[],
): Promise<(recallTarget: number) => Policies> {
  if (model === undefined) throw new Error('no model to price with');
  const settings = { net: 'priced', kOverride: null, recallTarget: 0.95, price: priceOf(model) } as const;
  const measured = await measureShadows(
    subjects
      .filter(({ session }) => session.requests.some(({ needed }) => needed !== undefined))
      .map((subject) => new LearningConversation(subject, settings)),
  );
  return (recallTarget) => makePolicies(measured, recallTarget);
}

/** Replays conversations with one policy, for short and for long prompts. */
async function serve(
  subjects: readonly ReplaySubject[],
  {
    policy,
    recallTarget,
    model,
  }: {
    readonly policy: Policies['plain'];
    readonly recallTarget: number;
    readonly model: CatalogModel;
  },
): Promise<Row> {
  const costs: Record<string, number> = {};
  let [effective, kept] = [0, 0];
  for (const prompt of promptSizeNames) {
    let [billed, whole, recall, share] = [0, 0, 0, 0];
    for (const subject of subjects.map((each) => resize(each, prompt))) {
      const settings = {
        net: 'priced',
        kOverride: null,
        recallTarget,
        price: priceOf(model),
        policy,
      } as const;
      const outcome = await replaySession(subject, settings);
      billed += billSession(model, outcome.calls);
      whole += billSession(model, (await replayStateless(subject, null)).calls);
      recall += 1 - lossOf(outcome.missed.length, outcome.isArmed ? recoveryRate : 0);
      share += outcome.kept;
    }
    costs[`cost_${prompt}`] = round(billed / whole);
    effective += recall / subjects.length / promptSizeNames.length;
    kept += share / subjects.length / promptSizeNames.length;
  }
  return { effective_recall: round(effective), tools_share: round(kept), ...costs };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
