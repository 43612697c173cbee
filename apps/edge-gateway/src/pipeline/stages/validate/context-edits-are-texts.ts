import type { ByteEdit } from '@gateway/interchange';
import type { Invariant } from './draft.ts';

const quote = 0x22;

/** An edit of a message puts one JSON string, not longer, in the place of another; so calls and results stay paired. */
export const contextEditsAreTexts: Invariant = ({ bytes, plan }) => {
  const broken = plan.context.edits.find((edit) => !putsTextForText(bytes, edit));
  return broken === undefined ? null : `the edit of a message at byte ${broken.start} is no text for a text`;
};

function putsTextForText(bytes: Buffer, { start, end, replacement }: ByteEdit): boolean {
  if (bytes[start] !== quote || bytes[end - 1] !== quote || end - start < 2) return false;
  if (Buffer.byteLength(replacement) > end - start) return false;
  try {
    return typeof JSON.parse(replacement) === 'string';
  } catch {
    return false;
  }
}
