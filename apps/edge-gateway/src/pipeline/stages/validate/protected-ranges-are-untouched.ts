import type { ByteRange } from '@gateway/interchange';
import type { Invariant } from './draft.ts';

/**
 * No edit touches a forwarded tool that carries the client's cache marker, nor a message, but for the plan's own edits of texts
 * after the last marked message, and calls of tools that it left out, which go out the same in every turn.
 */
export const protectedRangesAreUntouched: Invariant = ({ outline, plan, edited }) => {
  const forwarded = new Set(plan.forwarded);
  const marked = outline.tools.filter((tool) => tool.cacheControl && forwarded.has(tool.index));
  const open = outline.messages.findLastIndex(({ cacheControl }) => cacheControl) + 1;
  const planned = new Set(plan.context.edits);
  const calls = new Set(plan.recovery?.callEdits);
  const openStart = outline.messages[open]?.range.start ?? Infinity;
  const ranges: ByteRange[] = [...outline.messages, ...marked]
    .map(({ range }) => range)
    .sort((a, b) => a.start - b.start);
  let next = 0;
  for (const edit of edited.edits) {
    if ((edit.start >= openStart && planned.has(edit)) || calls.has(edit)) continue;
    while (next < ranges.length && (ranges[next]?.end ?? 0) <= edit.start) next += 1;
    const range = ranges[next];
    if (range && edit.end > range.start) return `an edit at byte ${edit.start} touches a protected range`;
  }
  return null;
};
