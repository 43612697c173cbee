import type { ChatMessage, JsonObject } from '@gateway/interchange';
import { isObject } from '../../json/read-members.ts';
import { readRest, readSpelling } from '../shared/own-members.ts';
import type { RenderContext } from './render-part.ts';
import { renderPart } from './render-part.ts';

/** The first Gemini generation that requires a signature in every tool call. */
const signaturesSince = 3;
/** A placeholder for a missing signature (ai.google.dev/gemini-api/docs/thought-signatures). */
const absentSignature = 'skip_thought_signature_validator';

/** Renders the fields `systemInstruction` and `contents`. */
export function renderContents(messages: readonly ChatMessage[], context: RenderContext): JsonObject {
  const numbered = messages.map((message, index) => ({ message, field: `messages[${index}]` }));
  const system = numbered.filter(({ message }) => message.role === 'system');
  const firstTurn = numbered.findIndex(({ message }) => message.role !== 'system');
  for (const { message, field } of numbered.slice(firstTurn === -1 ? numbered.length : firstTurn)) {
    if (message.role === 'system')
      context.lose(
        field,
        'the format has system messages only before the conversation; the message was moved there',
      );
  }
  const contents: Content[] = [];
  for (const { message, field } of numbered) {
    if (message.role !== 'system') addContent(contents, message, field, context);
  }
  return {
    ...renderSystem(system, context),
    contents: contents.map(({ members, parts }) => ({ ...members, parts })),
  };
}

interface NumberedMessage {
  readonly message: ChatMessage;
  readonly field: string;
}

function renderSystem(system: readonly NumberedMessage[], context: RenderContext): JsonObject {
  const [first] = system;
  if (first === undefined) return {};
  const parts = system.flatMap(({ message, field }) => renderParts(message, field, context));
  return {
    systemInstruction: { ...readRest(first.message), ...renderRole(first.message, undefined), parts },
  };
}

/**
 * The content object of a turn. Parts are appended in place, because copying the list for each tool result
 * would take quadratic time.
 */
interface Content {
  readonly members: JsonObject;
  readonly parts: JsonObject[];
}

function addContent(contents: Content[], message: ChatMessage, field: string, context: RenderContext): void {
  const parts = renderParts(message, field, context);
  // Google rejects a content object without parts.
  if (parts.length === 0 && !context.isOwnFormat) return;
  const isModel = message.role === 'assistant';
  const signed = isModel ? signFirstCall(parts, context) : parts;
  const last = contents.at(-1);
  // All tool results of a turn must be in one content object.
  // Gemini compares the number of tool results with the number of tool calls.
  if (message.role === 'tool' && last !== undefined && holdsResults(last)) {
    for (const part of signed) last.parts.push(part);
    return;
  }
  contents.push({
    members: { ...readRest(message), ...renderRole(message, isModel ? 'model' : 'user') },
    parts: [...signed],
  });
}

/** Whether a user message's content starts with tool results. */
function holdsResults({ members, parts }: Content): boolean {
  return members.role === 'user' && isObject(parts[0]) && 'functionResponse' in parts[0];
}

function renderRole(message: ChatMessage, role: string | undefined): JsonObject {
  const { role: spelled } = readSpelling(message);
  const chosen = spelled === undefined ? role : spelled;
  return chosen === null || chosen === undefined ? {} : { role: chosen };
}

function renderParts(message: ChatMessage, field: string, context: RenderContext): JsonObject[] {
  const isEmptyText = (part: JsonObject): boolean => part.text === '' && Object.keys(part).length === 1;
  const rendered = message.parts.flatMap((part, index) =>
    renderPart(part, `${field}.parts[${index}]`, context),
  );
  if (context.isOwnFormat || rendered.every(isEmptyText)) return rendered;
  return rendered.filter((part) => !isEmptyText(part));
}

/** Adds a placeholder signature to the first of several parallel calls. */
function signFirstCall(parts: readonly JsonObject[], context: RenderContext): readonly JsonObject[] {
  // Parts from a client that uses the Gemini format remain unchanged, even if a part is not an object.
  if (context.isOwnFormat || context.generation < signaturesSince) return parts;
  const at = parts.findIndex((part) => 'functionCall' in part);
  const call = parts[at];
  if (call === undefined) return parts;
  return parts.with(at, { thoughtSignature: absentSignature, ...call });
}
