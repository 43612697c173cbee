import type { AccountHead, RoutingPolicy } from '@gateway/contracts';
import { calibrate, renderPolicy } from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import type { ShadowSample } from '../../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import { isDue } from '../../../apps/worker/src/jobs/calibrate/learn-heads.ts';
import type { LearnedConversation } from '../../../apps/worker/src/jobs/calibrate/learn/head-counts.ts';
import { trainHead } from '../../../apps/worker/src/jobs/calibrate/learn/train-head.ts';
import type { LearningConversation } from './learning-account.ts';

const setup = ['list', 'model', 'ranker'] as const;
const accountId = '019a9f5e-0000-7000-8000-000000000001';

/** The measurements of an account's shadow conversations, and the account head after the last of them. */
export interface ShadowMeasurements {
  readonly samples: readonly ShadowSample[];
  /** Null if there were too few conversations to train an account head. */
  readonly head: AccountHead | null;
}

/** The policies that the worker computes from the same shadow conversations, without and with learning. */
export interface Policies {
  readonly plain: RoutingPolicy;
  readonly learned: RoutingPolicy;
}

/**
 * Measures shadow conversations in their order. The worker trains the account head again and again on the
 * conversations so far, and each conversation is measured with the head of that time.
 */
export async function measureShadows(
  conversations: readonly LearningConversation[],
): Promise<ShadowMeasurements> {
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

/** Computes the account's policies. The recovery rate is the prior, because no tool was pruned yet. */
export function makePolicies({ samples, head }: ShadowMeasurements, recallTarget: number): Policies {
  const goals = { recallTarget, hasRecovery: true };
  const make = (learns: boolean, heads: readonly AccountHead[]): RoutingPolicy => {
    const calibration = calibrate({ samples, pruned: [] }, null, { ...goals, learns });
    return renderPolicy(accountId, 1, new Date(0), { ...calibration, heads });
  };
  return { plain: make(false, []), learned: make(true, head === null ? [] : [head]) };
}
