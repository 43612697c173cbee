import { decideBucket, type AccountHead } from '@gateway/contracts';
import { calibrate, renderPolicy } from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import type { ShadowSample } from '../../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import { lossOf } from '../../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import type { LearnedConversation } from '../../../apps/worker/src/jobs/calibrate/learn/head-counts.ts';
import { isDue } from '../../../apps/worker/src/jobs/calibrate/learn-heads.ts';
import { trainHead } from '../../../apps/worker/src/jobs/calibrate/learn/train-head.ts';
import type { Labels, LearningConversation } from './learning-account.ts';

/** The share of conversations that K must hold, the K that is compared, and the recovery rate of the worker's prior. */
const [heldShare, kCompared, recoveryRate] = [0.9, 20, 0.5];
const setup = ['list', 'model', 'ranker'] as const;
const accountId = '019a9f5e-0000-7000-8000-000000000001';

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

/**
 * Measures an account's conversations in their order. The worker trains the account head again and again on the
 * conversations so far, and each conversation is measured with the head of that time. The later conversations are
 * then served with the resulting policy.
 */
export async function runSplit(
  conversations: readonly LearningConversation[],
  { shadow, recallTarget }: SplitOptions,
): Promise<SplitFigures> {
  const { samples, head } = await measure(conversations.slice(0, shadow));
  const goals = { recallTarget, hasRecovery: true, learns: true };
  const calibration = calibrate({ samples, pruned: [] }, null, goals);
  const heads = head === null ? [] : [head];
  const policy = renderPolicy(accountId, 1, new Date(0), { ...calibration, heads });
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

async function measure(conversations: readonly LearningConversation[]) {
  const samples: ShadowSample[] = [];
  const read: LearnedConversation[] = [];
  let head: AccountHead | null = null;
  for (const [place, conversation] of conversations.entries()) {
    const at = new Date(Date.UTC(2026, 0, 1) + place * 1000).toISOString();
    samples.push({ at, ...(await conversation.label(head)), share: 1, tools: conversation.tools, setup });
    read.push(await conversation.read(at));
    if (isDue(head ?? undefined, samples)) head = await trainHead(conversation.list, read, at);
  }
  return { samples, head };
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
