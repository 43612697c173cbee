import type { ByteEdit } from '@gateway/interchange';
import { applyEdits, scanJson } from '@gateway/wire-formats';
import type { Invariant, OutboundDraft } from './draft.ts';

/** How deep a request may be nested; editing never adds a level. */
const depthMax = 128;

/** A JSON string of what models' names are made of, with nothing escaped. */
const modelText = /^"[\w./:@-]+"$/;

/**
 * The edited body is one valid JSON value, no deeper than what came.
 *
 * Messages were scanned when they came, and edits of them only put one string in another's place (`contextEditsAreTexts`
 * comes first), so each is stood in for by `null`: what is left to scan is the tools and the settings, however long the
 * conversation.
 */
export const resultIsJson: Invariant = (draft) => {
  if (draft.edited.edits.every((edit) => isModelForModel(edit, draft))) return null;
  try {
    scanJson(applyEdits(draft.bytes, withoutMessages(draft)), { depthMax });
    return null;
  } catch (error) {
    return `the edited body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
};

/** One string in the place of another, as most requests without tools go out. */
function isModelForModel({ start, end, replacement }: ByteEdit, { tape }: OutboundDraft): boolean {
  const model = tape.get(tape.root, 'model');
  const range = model === undefined ? undefined : tape.range(model);
  return range?.start === start && range.end === end && modelText.test(replacement);
}

function withoutMessages({ outline, plan, edited }: OutboundDraft): ByteEdit[] {
  const inMessages = new Set([...plan.context.edits, ...(plan.recovery?.callEdits ?? [])]);
  const stoodIn = outline.messages.map(({ range }) => ({ ...range, replacement: 'null' }));
  return [...edited.edits.filter((edit) => !inMessages.has(edit)), ...stoodIn].sort(
    (one, other) => one.start - other.start,
  );
}
