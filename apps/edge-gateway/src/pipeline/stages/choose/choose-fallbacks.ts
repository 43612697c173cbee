import type { ExclusionRule } from '@gateway/model-routing';
import type { SkippedFallback } from '../../exchange/attempt.ts';
import type { Target } from '../../../request/request.ts';

/** The rules for fallbacks. */
export interface FallbackRules {
  /** Finds a model's target. Throws if there is none. */
  readonly find: (model: string) => Target;
  /** The feature that the request needs and the model lacks. */
  readonly lackOf: (fallback: Target) => ExclusionRule | undefined;
  /** Called for each fallback that is skipped for a missing feature. */
  readonly skip: (skipped: SkippedFallback) => void;
}

/**
 * Adds the account's fallbacks to a target. They are looked up when the first of them is needed, so a request
 * whose provider answers does not pay for them. A fallback is skipped if it no longer exists, is not
 * connected, or cannot serve the request.
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
