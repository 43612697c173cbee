import type { Invariant } from './draft.ts';

/**
 * Planning saves bytes or leaves them alone; but for the tool that brings back what was left out of the conversation, and for
 * what tells a provider to keep tools out of the prompt itself.
 */
export const resultIsNotLonger: Invariant = ({ bytes, plan, edited }) =>
  edited.bytes.length > bytes.length && (plan.net?.recall ?? null) === null && plan.native === undefined
    ? `the edited body grew from ${bytes.length} to ${edited.bytes.length} bytes`
    : null;
