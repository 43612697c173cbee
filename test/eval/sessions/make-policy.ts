import type { RoutingPolicy } from '@gateway/contracts';
import { calibrate, renderPolicy } from '../../../apps/worker/src/jobs/calibrate/make-policy.ts';
import type { ShadowSample } from '../../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import type { ReplaySettings, ReplaySubject } from './replay.ts';
import { replaySession } from './replay-session.ts';

const accountId = '019a9f5e-0000-7000-8000-000000000001';

/**
 * Returns the routing policy that the worker computes from shadow conversations. The recovery rate equals the
 * prior, because no tool was pruned yet.
 * @param deferral how the gateway defers tools, if the provider supports deferral
 */
export async function makePolicy(
  subjects: readonly ReplaySubject[],
  { recallTarget, price }: Pick<ReplaySettings, 'recallTarget' | 'price'>,
  deferral: Pick<ReplaySettings, 'appends' | 'deferredCost' | 'isFinal'> = {},
): Promise<RoutingPolicy> {
  return policyOf(await sampleShadows(subjects, { recallTarget, price }, deferral), recallTarget);
}

/** Replays the conversations as shadow conversations. */
export async function sampleShadows(
  subjects: readonly ReplaySubject[],
  { recallTarget, price }: Pick<ReplaySettings, 'recallTarget' | 'price'>,
  deferral: Pick<ReplaySettings, 'appends' | 'deferredCost' | 'isFinal'> = {},
): Promise<ShadowSample[]> {
  const settings = {
    net: 'priced',
    kOverride: null,
    recallTarget,
    price,
    isShadow: true,
    ...deferral,
  } as const;
  const samples: ShadowSample[] = [];
  for (const subject of subjects) {
    const { bucket, heldFromK, missed, isArmed } = await replaySession(subject, settings);
    samples.push({
      at: new Date(Date.UTC(2026, 0, 1) + samples.length * 1000).toISOString(),
      bucket,
      neededKs: [...heldFromK.values()].sort((one, other) => other - one),
      missed: missed.length,
      isArmed,
      share: 1,
      tools: subject.list.tools.length,
      setup: ['list', 'model', 'ranker'],
    });
  }
  return samples;
}

/** Returns the routing policy that the worker computes from the measurements of shadow conversations. */
export function policyOf(samples: readonly ShadowSample[], recallTarget: number): RoutingPolicy {
  const calibration = calibrate({ samples, pruned: [] }, null, { recallTarget, hasRecovery: true });
  return renderPolicy(accountId, 1, new Date(0), calibration);
}
