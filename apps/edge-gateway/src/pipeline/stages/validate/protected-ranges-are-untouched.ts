import type { ByteRange } from '@gateway/interchange';
import type { Invariant } from './draft.ts';

/** No edit touches a message, nor a forwarded tool that carries the client's cache marker. */
export const protectedRangesAreUntouched: Invariant = ({ outline, plan, edited }) => {
  const forwarded = new Set(plan.forwarded);
  const marked = outline.tools.filter((tool) => tool.cacheControl && forwarded.has(tool.index));
  const ranges: ByteRange[] = [...outline.messages, ...marked]
    .map(({ range }) => range)
    .sort((a, b) => a.start - b.start);
  let next = 0;
  for (const edit of edited.edits) {
    while (next < ranges.length && (ranges[next]?.end ?? 0) <= edit.start) next += 1;
    const range = ranges[next];
    if (range && edit.end > range.start) return `an edit at byte ${edit.start} touches a protected range`;
  }
  return null;
};
