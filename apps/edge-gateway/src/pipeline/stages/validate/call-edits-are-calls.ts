import type { Invariant } from './draft.ts';

/** An edit of a call puts JSON of the same kind in the place of a name or of arguments; so calls and results stay paired. */
export const callEditsAreCalls: Invariant = ({ bytes, plan }) => {
  const broken = plan.recovery?.callEdits.find(({ start, replacement }) => {
    try {
      return typeof JSON.parse(replacement) !== (bytes[start] === quote ? 'string' : 'object');
    } catch {
      return true;
    }
  });
  return broken === undefined ? null : `the edit of a call at byte ${broken.start} is no call`;
};

const quote = 0x22;
