import type { Invariant } from './draft.ts';

/** Planning saves bytes or leaves them alone. */
export const resultIsNotLonger: Invariant = ({ bytes, edited }) =>
  edited.bytes.length > bytes.length
    ? `the edited body grew from ${bytes.length} to ${edited.bytes.length} bytes`
    : null;
