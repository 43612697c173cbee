import type { ExclusionRule } from '@gateway/model-routing';
import type { SkippedFallback } from '../../exchange/attempt.ts';
import type { Target } from '../../../request/request.ts';

/** What fallbacks are judged by. */
export interface FallbackRules {
  /** A model's target; throws when there is none. */
  readonly find: (model: string) => Target;
  /** What the request needs and the model cannot do. */
  readonly lackOf: (fallback: Target) => ExclusionRule | undefined;
  /** Is told of each that is passed over for a lack. */
  readonly skip: (skipped: SkippedFallback) => void;
}

/**
 * A target with the account's fallbacks behind it. They are looked up when the first of them is needed, so that a request
 * whose provider answers pays nothing for them. One that is no longer there, or not connected, is passed over, and so is
 * one that cannot do what the request needs: its provider would refuse it.
 */
export function chooseFallbacks(
  target: Target,
  fallbacks: readonly string[],
  { find, lackOf, skip }: FallbackRules,
): Target {
  if (fallbacks.length === 0) return target;
  let found: readonly Target[] | undefined;
  const look = (): readonly Target[] =>
    fallbacks.flatMap((model) => {
      const fallback = findOrNone(model, find);
      if (fallback === undefined || isSame(fallback, target)) return [];
      const rule = lackOf(fallback);
      if (rule === undefined) return [fallback];
      skip({ id: `${fallback.provider.name}/${fallback.model}`, rule });
      return [];
    });
  return { ...target, alternatives: () => (found ??= look()) };
}

function findOrNone(model: string, find: FallbackRules['find']): Target | undefined {
  try {
    return find(model);
  } catch {
    return undefined;
  }
}

function isSame(one: Target, other: Target): boolean {
  return one.provider.name === other.provider.name && one.model === other.model;
}
