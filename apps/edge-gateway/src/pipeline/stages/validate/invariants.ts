import type { EditedRequest, JsonTape } from '@gateway/wire-formats';
import { applyEdits, scanJson } from '@gateway/wire-formats';
import type { ByteEdit, ByteRange, RequestOutline } from '@gateway/interchange';
import type { ToolPlan } from '../../exchange/tool-plan.ts';
import { namesInToolChoice } from '../../../request/request-facts.ts';

/** What is about to be sent, beside what it was made of. */
export interface OutboundDraft {
  readonly bytes: Buffer;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  readonly plan: ToolPlan;
  readonly edited: EditedRequest;
}

/** A rule that every outbound request keeps. Returns how it is broken, or null. */
export type Invariant = (draft: OutboundDraft) => string | null;

/** `tool_choice` names only tools that are forwarded, as far as the client offered them at all. */
export const toolChoiceIsForwarded: Invariant = ({ outline, plan }) => {
  const names = namesInToolChoice(outline.toolChoice);
  if (names.length === 0) return null;
  const forwarded = new Set(plan.forwarded);
  const offered = new Set(outline.tools.map(({ name }) => name));
  const goes = new Set(outline.tools.flatMap(({ name, index }) => (forwarded.has(index) ? [name] : [])));
  const broken = names.find((name) => offered.has(name) && !goes.has(name));
  return broken === undefined ? null : `tool_choice names "${broken}", which is not forwarded`;
};

/**
 * A tool that the transcript calls is still defined, if the client defined it and its key may use it, or its calls go out as
 * calls of the one that stands for it.
 */
export const calledToolsAreDefined: Invariant = ({ outline, plan }) => {
  if (plan.native !== undefined || plan.eligible.length === 0) return null;
  const called = new Set(outline.messages.flatMap((message) => message.toolCalls.map((call) => call.name)));
  const forwarded = new Set(plan.forwarded);
  const dropped = plan.eligible.find((index) => {
    const name = outline.tools[index]?.name;
    if (name === undefined || !called.has(name) || forwarded.has(index)) return false;
    return plan.recovery === undefined || !plan.recovery.pruned.has(name);
  });
  return dropped === undefined
    ? null
    : `the tool "${outline.tools[dropped]?.name ?? ''}" was called and is not forwarded`;
};

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

/** An edit of a call puts JSON of the same kind in the place of a name or of arguments; so calls and results stay paired. */
export const callEditsAreCalls: Invariant = ({ bytes, plan }) => {
  const broken = plan.recovery?.callEdits.find(({ start, replacement }) => {
    try {
      return typeof JSON.parse(replacement) !== (bytes[start] === 0x22 ? 'string' : 'object');
    } catch {
      return true;
    }
  });
  return broken === undefined ? null : `the edit of a call at byte ${broken.start} is no call`;
};

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
