import type { Target } from '../../target.ts';

/**
 * A target with the account's fallbacks behind it. They are looked up when the first of them is needed, so that a request
 * whose provider answers pays nothing for them; one that is no longer there, or not connected, is passed over.
 *
 * @param find a model's target; throws when there is none
 */
export function chooseFallbacks(
  target: Target,
  fallbacks: readonly string[],
  find: (model: string) => Target,
): Target {
  if (fallbacks.length === 0) return target;
  let found: readonly Target[] | undefined;
  const look = (): readonly Target[] =>
    fallbacks.flatMap((model) => {
      try {
        const fallback = find(model);
        return isSame(fallback, target) ? [] : [fallback];
      } catch {
        return [];
      }
    });
  return { ...target, alternatives: () => (found ??= look()) };
}

function isSame(one: Target, other: Target): boolean {
  return one.provider.name === other.provider.name && one.model === other.model;
}
