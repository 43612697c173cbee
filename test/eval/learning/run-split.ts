import { decideBucket } from '@gateway/contracts';
import { lossOf } from '../../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import { makePolicies, measureShadows } from './learned-policies.ts';
import type { Labels, LearningConversation } from './learning-account.ts';

/** The share of conversations that K must hold, the K that is compared, and the recovery rate of the worker's prior. */
const [heldShare, kCompared, recoveryRate] = [0.9, 20, 0.5];

/** The results of one split: an account's first conversations are measured, and its later ones are served. */
export interface SplitFigures {
  /** K for 90% of the later conversations without, with, and with the account head only where the policy uses it. */
  readonly k: number;
  readonly kLearned: number;
  readonly kServed: number;
  /** The share of the later conversations whose needed tools are all among the first 20 ranked tools. */
  readonly held: number;
  readonly heldLearned: number;
  /** The share of the later conversations that the account head ranks. */
  readonly used: number;
  /** The policy's mean K, and the effective recall of the later conversations with this K. */
  readonly policyK: number;
  readonly policyKPlain: number;
  readonly effective: number;
}

export interface SplitOptions {
  /** The number of shadow conversations. */
  readonly shadow: number;
  readonly recallTarget: number;
}

/** Measures an account's first conversations in their order, and serves the later ones with the resulting policy. */
export async function runSplit(
  conversations: readonly LearningConversation[],
  { shadow, recallTarget }: SplitOptions,
): Promise<SplitFigures> {
  const measured = await measureShadows(conversations.slice(0, shadow));
  const { head } = measured;
  const { learned: policy } = makePolicies(measured, recallTarget);
  const later = await Promise.all(
    conversations.slice(shadow).map(async (each) => {
      const labels = await each.label(head);
      const [intent = ''] = labels.bucket.split(':');
      return { labels, tools: each.tools, decision: decideBucket(policy, { intent, tools: each.tools }) };
    }),
  );
  const plain = later.map(({ labels }) => labels.neededKs[0] ?? 1);
  const learned = later.map(({ labels }) => learnedOf(labels)[0] ?? 1);
  const served = later.map(({ decision }, at) => (decision.learned === null ? plain : learned)[at] ?? 1);
  return {
    k: quantile(plain),
    kLearned: quantile(learned),
    kServed: quantile(served),
    held: share(plain, (k) => k <= kCompared),
    heldLearned: share(learned, (k) => k <= kCompared),
    used: share(later, ({ decision }) => decision.learned !== null),
    policyK: mean(later.map(({ decision, tools }) => (decision.learned ?? decision).k ?? tools)),
    policyKPlain: mean(later.map(({ decision, tools }) => decision.k ?? tools)),
    effective: mean(
      later.map(({ labels, decision, tools }) => {
        const k = (decision.learned ?? decision).k ?? tools;
        const needs = decision.learned === null ? labels.neededKs : learnedOf(labels);
        return 1 - lossOf(needs.filter((need) => need > k).length, recoveryRate);
      }),
    ),
  };
}

function learnedOf({ learnedKs, neededKs }: Labels): readonly number[] {
  return learnedKs ?? neededKs;
}

function quantile(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(heldShare * sorted.length) - 1] ?? 0;
}

function share<Item>(items: readonly Item[], isIn: (item: Item) => boolean): number {
  return items.filter(isIn).length / Math.max(1, items.length);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
