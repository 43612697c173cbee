import type { Target } from './target.ts';

/**
 * A provider's own way to keep tools out of the model's way, in place of leaving them out. `deferred`: all of them go out, and
 * the provider keeps the definitions of those that the plan leaves out from the prompt until the model searches for them.
 * `allowed`: all of them are in the prompt, and the request says which may be called. Both keep the prompt's prefix as it is,
 * whatever a later turn adds.
 */
export interface NativeSelection {
  readonly way: 'deferred' | 'allowed';
  /** Whom it was chosen for: another model that stands in may not have it. */
  readonly provider: string;
  readonly model: string;
}

export function isNativeAt({ provider, model }: NativeSelection, target: Target): boolean {
  return target.lane.kind === 'same-format' && target.provider.name === provider && target.model === model;
}

interface Selected {
  readonly eligible: readonly number[];
  readonly forwarded: readonly number[];
  readonly native?: NativeSelection | undefined;
}

/** Tools whose definitions go to the provider: in a native way all that the key may use. Of these nothing is saved. */
export function listSent({ eligible, forwarded, native }: Selected): readonly number[] {
  return native === undefined ? forwarded : eligible;
}
