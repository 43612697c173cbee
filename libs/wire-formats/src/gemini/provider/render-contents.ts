import type { ChatMessage, JsonObject } from '@gateway/interchange';
import { isObject } from '../../json/read-members.ts';
import { readRest, readSpelling } from '../shared/own-members.ts';
import type { RenderContext } from './render-part.ts';
import { renderPart } from './render-part.ts';

/** Since this generation every call has to carry its signature. */
const signaturesSince = 3;
/** What stands for a signature that was never given, or lost (ai.google.dev/gemini-api/docs/thought-signatures). */
const absentSignature = 'skip_thought_signature_validator';

/** The members `systemInstruction` and `contents`. */
export function renderContents(messages: readonly ChatMessage[], context: RenderContext): JsonObject {
  const numbered = messages.map((message, index) => ({ message, field: `messages[${index}]` }));
  const system = numbered.filter(({ message }) => message.role === 'system');
  const firstTurn = numbered.findIndex(({ message }) => message.role !== 'system');
  for (const { field } of numbered.slice(firstTurn === -1 ? numbered.length : firstTurn)) {
    const moved = system.some((instruction) => instruction.field === field);
    if (moved) context.lose(field, 'instructions stand before the conversation in the format: moved there');
  }
  const contents: JsonObject[] = [];
  for (const { message, field } of numbered) {
    if (message.role !== 'system') addContent(contents, message, field, context);
  }
  return { ...renderSystem(system, context), contents };
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

function addContent(
  contents: JsonObject[],
  message: ChatMessage,
  field: string,
  context: RenderContext,
): void {
  const parts = renderParts(message, field, context);
  // Google refuses a content without parts.
  if (parts.length === 0 && !context.isOwnFormat) return;
  const isModel = message.role === 'assistant';
  const signed = isModel ? signFirstCall(parts, context) : parts;
  const last = contents.at(-1);
  const results = message.role === 'tool' && last?.role === 'user' ? takeResults(last) : undefined;
  // All results of a turn belong into one content: Gemini counts them against the calls.
  if (results === undefined) {
    contents.push({
      ...readRest(message),
      ...renderRole(message, isModel ? 'model' : 'user'),
      parts: signed,
    });
  } else {
    contents[contents.length - 1] = { ...last, parts: [...results, ...signed] };
  }
}

/** The parts of a content that begins with results. */
function takeResults({ parts }: JsonObject): readonly unknown[] | undefined {
  const list = Array.isArray(parts) ? (parts as unknown[]) : [];
  return isObject(list[0]) && 'functionResponse' in list[0] ? list : undefined;
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

/** Of parallel calls the first carries the signature. */
function signFirstCall(parts: readonly JsonObject[], context: RenderContext): readonly JsonObject[] {
  // In its own format a part is what the client wrote, be it no object.
  if (context.isOwnFormat || context.generation < signaturesSince) return parts;
  const at = parts.findIndex((part) => 'functionCall' in part);
  const call = parts[at];
  if (call === undefined) return parts;
  return parts.with(at, { thoughtSignature: absentSignature, ...call });
}
