import { bindsReasoning, type CatalogModel } from '@gateway/model-catalog';
import { policyOf, sampleShadows } from './make-policy.ts';
import { priceOf, targets, type Measure, type Point } from './point.ts';
import { replayBound, type BoundSetting } from './replay-native.ts';
import type { ReplaySubject } from './replay.ts';
import { replayStateless } from './replay-session.ts';

/** The values of K that are measured for conversations with bound reasoning. */
const boundK = [8, 16, 24, 32, 40, 48, 56, 60, 64, 72, 80, 96, 128, 160, 192];

/** Conversations from which the worker computes a policy. The report excludes these conversations. */
export interface Choosers {
  readonly few: readonly ReplaySubject[];
  readonly all: readonly ReplaySubject[];
}

export const isBound = (model: CatalogModel): boolean =>
  bindsReasoning(model, model.modelId).effect !== 'none';

/**
 * Measures three methods and several values of K for a model with bound reasoning. The methods are compression
 * only, a constant set of loaded tools, and loading additional tools in later turns. A new account has the shipped
 * priors. An older account has the policy that the worker computes from conversations that the report excludes.
 * OpenAI's models drop reasoning that is no longer bound. They also see the names of deferred tools, so later turns
 * load no tools.
 */
export async function measureBound(
  model: CatalogModel,
  { choosers, tools }: { readonly choosers: Choosers; readonly tools: number },
  point: Measure,
): Promise<Point[]> {
  const price = priceOf(model);
  const showsHeads = bindsReasoning(model, model.modelId).effect === 'drops';
  const base = { price, showsHeads, policy: null, kOverride: null, recallTarget: 0.95 } as const;
  const points = [await point('compressed only', (each) => replayStateless(each, null))];
  const measure = async (name: string, given: Partial<BoundSetting>): Promise<void> => {
    const setting = { ...base, mode: 'deferred', appends: false, ...given } as const;
    points.push(await point(name, (each) => replayBound(each, setting), setting.policy));
  };
  const methods = showsHeads
    ? ([['constant', false]] as const)
    : ([
        ['constant', false],
        ['loading', true],
      ] as const);
  for (const [method, appends] of methods)
    for (const kOverride of boundK.filter((k) => k < tools))
      await measure(`${method} K=${kOverride}`, { kOverride, appends });
  for (const recallTarget of targets) {
    for (const [method, appends] of methods)
      await measure(`new ${method} target=${recallTarget}`, { recallTarget, appends });
    if (!showsHeads) await measure(`new pruned target=${recallTarget}`, { recallTarget, mode: 'pruned' });
  }
  for (const subjects of [choosers.few, choosers.all]) {
    const account = `calibrated on ${subjects.length}`;
    const served = methods.map(([method, appends]) => {
      const deferral = { appends, deferredCost: showsHeads ? 'description' : 'nothing' } as const;
      return { method, deferral, setting: { appends } };
    });
    const pruned = { method: 'pruned', deferral: { isFinal: true }, setting: { mode: 'pruned' } } as const;
    for (const { method, deferral, setting } of showsHeads ? served : [...served, pruned]) {
      const samples = await sampleShadows(subjects, { recallTarget: 0.95, price }, deferral);
      for (const recallTarget of targets) {
        const policy = policyOf(samples, recallTarget);
        await measure(`${account} ${method} target=${recallTarget}`, { recallTarget, policy, ...setting });
      }
    }
  }
  return points;
}
