import { decideBucket, type RoutingPolicy } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';
import { shuffle } from '@gateway/testing';
import { lossOf } from '../../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import { makePolicies, measureShadows } from '../learning/learned-policies.ts';
import { LearningConversation } from '../learning/learning-account.ts';
import type { SessionData } from '../sessions/load-sessions.ts';
import { priceOf } from '../sessions/point.ts';
import { prepareSubjects, type SubjectOptions } from '../sessions/prepare-subjects.ts';
import { recoveryRates } from './measure-served.ts';
import { ServedConversation } from './served-account.ts';

/** The numbers of shadow conversations and of later, served conversations of an account. */
const [shadowConversations, laterConversations] = [100, 60];
/** The recall target of the plans that shadow conversations are labelled with. The needed K does not depend on it. */
const labelTarget = 0.95;

interface Conversation {
  readonly learning: LearningConversation;
  readonly served: ServedConversation;
}

/** An account with the conversations of one data set, which all have the same tool list. */
export interface LearningAccount {
  readonly source: string;
  readonly conversations: readonly Conversation[];
}

/** How the policy of one split serves the later conversations. */
interface Outcome {
  /** Effective recall by true recovery rate. */
  readonly effective: readonly number[];
  readonly k: number;
  readonly kept: number;
  readonly usesHead: number;
  /** The billed cost relative to the cost of sending every tool. */
  readonly small: number;
  readonly large: number;
}

interface Pair {
  readonly source: string;
  readonly target: number;
  readonly without: Outcome;
  readonly with: Outcome;
}

type Row = Readonly<Record<string, string | number>>;

/** Creates one account per data set. Conversations without a needed tool are left out. */
export function prepareAccounts(
  data: SessionData,
  { size, lane, model }: Pick<SubjectOptions, 'size' | 'lane'> & { readonly model: CatalogModel },
): LearningAccount[] {
  const perSource = shadowConversations + 2 * laterConversations;
  const subjects = prepareSubjects(data, { size, perSource, lane, isFixed: true });
  const settings = {
    net: 'priced',
    kOverride: null,
    recallTarget: labelTarget,
    price: priceOf(model),
  } as const;
  const calling = subjects.filter(({ session }) =>
    session.requests.some(({ needed }) => needed !== undefined),
  );
  return [...Map.groupBy(calling, ({ session }) => session.source)].map(([source, own]) => ({
    source,
    conversations: own.map((subject) => ({
      learning: new LearningConversation(subject, settings),
      served: new ServedConversation(subject, model),
    })),
  }));
}

/**
 * Compares policies without and with account heads. A split is one random order of an account's conversations. The
 * first conversations are shadow conversations, from which the worker computes both policies. The later conversations
 * are served with both policies, and none of them was a shadow conversation.
 */
export async function measureLearning(
  accounts: readonly LearningAccount[],
  targets: readonly number[],
  { splits, seed }: { readonly splits: number; readonly seed: number },
): Promise<{ rows: Row[]; means: Row[] }> {
  const pairs: Pair[] = [];
  for (const { source, conversations } of accounts)
    for (let split = 0; split < splits; split += 1) {
      const drawn = shuffle(conversations, seed * 1_000 + split);
      const measured = await measureShadows(
        drawn.slice(0, shadowConversations).map(({ learning }) => learning),
      );
      const later = drawn.slice(shadowConversations, shadowConversations + laterConversations);
      const served = later.map((each) => each.served);
      for (const each of served) if (each.bucket === '') await each.label(labelTarget);
      for (const target of targets) {
        const { plain, learned } = makePolicies(measured, target);
        const [without, withHead] = [
          await serve(served, plain, target),
          await serve(served, learned, target),
        ];
        pairs.push({ source, target, without, with: withHead });
      }
    }
  const rows = [...Map.groupBy(pairs, ({ source, target }) => `${source} ${target}`).values()];
  const means = [...Map.groupBy(pairs, ({ target }) => target).values()];
  return {
    rows: rows.flatMap((own) => summarize(own, true)),
    means: means.flatMap((own) => summarize(own, false)),
  };
}

async function serve(
  conversations: readonly ServedConversation[],
  policy: RoutingPolicy,
  recallTarget: number,
): Promise<Outcome> {
  const served = await Promise.all(conversations.map((each) => each.serve(policy, recallTarget)));
  const billed = await Promise.all(conversations.map((each) => each.bill(policy, recallTarget)));
  const decisions = conversations.map(({ bucket, tools }) => ({
    tools,
    decision: decideBucket(policy, { intent: bucket.split(':')[0] ?? '', tools }),
  }));
  const costOf = (size: 'small' | 'large'): number =>
    mean(billed.map((cost) => cost[size])) / mean(conversations.map(({ whole }) => whole[size]));
  return {
    effective: recoveryRates.map((rate) =>
      mean(served.map(({ missed, isArmed }) => 1 - lossOf(missed, isArmed ? rate : 0))),
    ),
    k: mean(decisions.map(({ decision, tools }) => (decision.learned ?? decision).k ?? tools)),
    kept: mean(served.map(({ kept }) => kept)),
    usesHead: mean(decisions.map(({ decision }) => Number(decision.learned !== null))),
    ...{ small: costOf('small'), large: costOf('large') },
  };
}

/** The means over splits. Recall is that at the lowest true recovery rate. */
function summarize(pairs: readonly Pair[], isOneAccount: boolean): Row[] {
  const [first] = pairs;
  if (first === undefined) return [];
  return (['without', 'with'] as const).map((learning) => {
    const own = pairs.map((pair) => pair[learning]);
    const meanOf = (read: (outcome: Outcome) => number): number => round(mean(own.map(read)));
    return {
      ...(isOneAccount ? { account: first.source } : {}),
      ...{ target: first.target, learning, splits: pairs.length },
      met_share: meanOf(({ effective }) => Number((effective[0] ?? 0) >= first.target)),
      effective_recall: meanOf(({ effective }) => effective[0] ?? 0),
      k: meanOf(({ k }) => k),
      tools_share: meanOf(({ kept }) => kept),
      cost_small: meanOf(({ small }) => small),
      cost_large: meanOf(({ large }) => large),
      uses_head: meanOf(({ usesHead }) => usesHead),
    };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
