import type { EditedRequest, JsonTape } from '@gateway/wire-formats';
import { applyEdits, scanJson } from '@gateway/wire-formats';
import type { ByteEdit, ByteRange, RequestOutline } from '@gateway/interchange';
import type { ToolPlan } from '../../exchange/tool-plan.ts';
import { findFirstTurn, namesInToolChoice } from '../../../request/request-facts.ts';

/** A request that is about to be sent, and the inputs from which it was built. */
export interface OutboundDraft {
  readonly bytes: Buffer;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  readonly plan: ToolPlan;
  readonly edited: EditedRequest;
}

/**
 * A rule that every outbound request must satisfy. Returns a description of the violation, or null if the
 * request satisfies the rule.
 */
export type Invariant = (draft: OutboundDraft) => string | null;

/** `tool_choice` names only forwarded tools. Tools in `tool_choice` that the client did not offer are ignored. */
export const toolChoiceIsForwarded: Invariant = ({ outline, plan }) => {
  const names = namesInToolChoice(outline.toolChoice);
  if (names.length === 0) return null;
  const forwarded = new Set(plan.forwarded);
  const offered = new Set(outline.tools.map(({ name }) => name));
  const sent = new Set(outline.tools.flatMap(({ name, index }) => (forwarded.has(index) ? [name] : [])));
  const broken = names.find((name) => offered.has(name) && !sent.has(name));
  return broken === undefined ? null : `tool_choice names "${broken}", which is not forwarded`;
};

/**
 * Tools that are called in the transcript stay defined if the client defined the tools and the API key may use
 * them. The plan rewrites calls to undefined tools as calls to the recovery tool. Conversations with bound
 * reasoning are exempt, because their providers accept calls to undefined tools.
 */
export const calledToolsAreDefined: Invariant = ({ outline, plan }) => {
  if (plan.deferral !== undefined || plan.bound !== undefined || plan.eligible.length === 0) return null;
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
 * No edit changes a forwarded tool that has the client's cache marker. With two exceptions, no edit changes a
 * message. The plan may edit text after the last message with a cache marker. The plan may also rewrite calls to
 * pruned tools, identically in every turn.
 */
export const protectedRangesAreUntouched: Invariant = ({ outline, plan, edited }) => {
  const forwarded = new Set(plan.forwarded);
  const marked = outline.tools.filter((tool) => tool.cacheControl && forwarded.has(tool.index));
  const planned = new Set(plan.context.edits);
  const calls = new Set(plan.recovery?.callEdits);
  const openStart = outline.messages[findFirstTurn(outline)]?.range.start ?? Infinity;
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

/**
 * A message edit replaces a JSON string with another JSON string that is not longer. A message edit cannot separate
 * a tool call from its tool result.
 */
export const contextEditsAreTexts: Invariant = ({ bytes, plan }) => {
  const broken = plan.context.edits.find((edit) => !putsTextForText(bytes, edit));
  return broken === undefined
    ? null
    : `the edit of a message at byte ${broken.start} does not replace a text by a text`;
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

/** Matches a removed field of a call, and a comma with whitespace before or after the field. */
const namespaceMember = /^(?:,\s*)?"namespace"\s*:\s*(?:"[^"]*"|null)(?:\s*,\s*)?$/;

/**
 * An edit to a tool call replaces a name or arguments with JSON of the same type, or removes the namespace. Each
 * tool call stays paired with its tool result.
 */
export const callEditsAreCalls: Invariant = ({ bytes, plan }) => {
  const broken = plan.recovery?.callEdits.find(({ start, end, replacement }) => {
    if (replacement === '') return !namespaceMember.test(bytes.toString('utf8', start, end).trim());
    try {
      return typeof JSON.parse(replacement) !== (bytes[start] === 0x22 ? 'string' : 'object');
    } catch {
      return true;
    }
  });
  return broken === undefined ? null : `the edit of a call at byte ${broken.start} does not render a call`;
};

/**
 * Planning makes a request body longer only if it adds a recovery tool for compressed content, or fields and
 * messages for deferral. The length of the model name does not count, because the model name is not part of the
 * plan.
 */
export const resultIsNotLonger: Invariant = (draft) => {
  const { bytes, plan, edited } = draft;
  const isLonger = edited.length - modelGrowth(draft) > bytes.length;
  return isLonger && (plan.recovery?.recall ?? null) === null && plan.deferral === undefined
    ? `the edited body grew from ${bytes.length} to ${edited.length} bytes`
    : null;
};

function modelGrowth({ tape, edited }: OutboundDraft): number {
  const model = tape.get(tape.root, 'model');
  if (model === undefined) return 0;
  const range = tape.range(model);
  const edit = edited.edits.find(({ start, end }) => start === range.start && end === range.end);
  return edit === undefined ? 0 : Buffer.byteLength(edit.replacement) - (range.end - range.start);
}

/** Maximum nesting depth of a request. Editing a request never adds a level of nesting. */
const depthMax = 128;

/** Matches a JSON string that contains only characters used in model names, without escapes. */
const modelText = /^"[\w./:@-]+"$/;

/**
 * The edited body is one valid JSON value, nested no deeper than the client's body. Edits to messages only replace
 * strings (see `contextEditsAreTexts`). The client's original messages were scanned when they arrived. The scan of
 * the edited body replaces each message with `null`. The scan reads only tools and settings, so its duration does
 * not depend on the length of the conversation.
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

/**
 * Returns whether an edit only replaces the client's model name. In most requests without tools, the model
 * name is the only edit.
 */
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
