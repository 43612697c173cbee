import type { Invariant } from './draft.ts';

/** Planning saves bytes or leaves them alone; but for the tool that brings back what was left out of the conversation. */
export const resultIsNotLonger: Invariant = ({ bytes, plan, edited }) =>
  edited.bytes.length > bytes.length && (plan.net?.recall ?? null) === null
    ? `the edited body grew from ${bytes.length} to ${edited.bytes.length} bytes`
    : null;
