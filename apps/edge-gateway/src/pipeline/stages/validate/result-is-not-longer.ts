import type { Invariant, OutboundDraft } from './draft.ts';

/**
 * Planning saves bytes or leaves them alone; but for the tool that brings back what was left out of the conversation, and for
 * what tells a provider to keep tools out of the prompt itself. The model's name, which may be a longer one than the client's
 * (`svc/auto`), is no part of the plan.
 */
export const resultIsNotLonger: Invariant = (draft) => {
  const { bytes, plan, edited } = draft;
  const isLonger = edited.bytes.length - modelGrowth(draft) > bytes.length;
  return isLonger && (plan.recovery?.recall ?? null) === null && plan.native === undefined
    ? `the edited body grew from ${bytes.length} to ${edited.bytes.length} bytes`
    : null;
};

function modelGrowth({ tape, edited }: OutboundDraft): number {
  const model = tape.get(tape.root, 'model');
  if (model === undefined) return 0;
  const range = tape.range(model);
  const edit = edited.edits.find(({ start, end }) => start === range.start && end === range.end);
  return edit === undefined ? 0 : Buffer.byteLength(edit.replacement) - (range.end - range.start);
}
