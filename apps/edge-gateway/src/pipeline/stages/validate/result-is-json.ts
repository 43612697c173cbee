import { scanJson } from '@gateway/wire-formats';
import type { Invariant } from './draft.ts';

/** The edited body is one valid JSON value, no deeper than what came. */
export const resultIsJson: Invariant = ({ edited }) => {
  if (edited.edits.length === 0) return null;
  try {
    scanJson(edited.bytes, { depthMax: 128 });
    return null;
  } catch (error) {
    return `the edited body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
};
