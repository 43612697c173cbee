import type { MessageOutline, RequestOutline } from '@gateway/interchange';
import type { Needs } from '@gateway/model-routing';
import type { JsonTape } from '@gateway/wire-formats';
import type { ParsedRequest } from '../request/request.ts';
import { turnsReasoningOn } from '../request/request-facts.ts';

/**
 * JSON strings that mark file parts. Other JSON strings cannot contain these strings, because quotes are escaped.
 */
const imageMarks = ['"image_url"', '"image"'].map((mark) => Buffer.from(mark));
const documentMarks = ['"document"', '"file"', '"input_file"'].map((mark) => Buffer.from(mark));
/** Upper bound for the tokens in an image or a page (Anthropic, "Vision" and "PDF support"). */
const tokensPerFile = 3_000;
/**
 * Minimum length in bytes of a message in which text and file are counted separately. The tokens of a shorter
 * message with a file are estimated from its length.
 */
const fileBytesMin = 4_096;

/**
 * Determines the model capabilities that a request needs. Files in a request are recognized by the JSON strings of
 * file parts. If a tool's arguments contain one of these JSON strings, the result may include capabilities that the
 * request does not need.
 * @param bytesPerToken number of bytes per token for the request's token estimates
 */
export function readNeeds({ tape, outline }: ParsedRequest, bytesPerToken: number): Needs {
  const { messages, system, tools, toolsRange } = outline;
  const from = messages[0]?.range.start ?? 0;
  const conversation = tape.bytes.subarray(from, messages.at(-1)?.range.end ?? from);
  const images = imageMarks.some((mark) => conversation.includes(mark));
  const documents = documentMarks.some((mark) => conversation.includes(mark));
  const hasFiles = images || documents;
  let bytes = toolsRange === undefined ? 0 : toolsRange.end - toolsRange.start;
  let fileTokens = 0;
  for (const message of system === undefined ? messages : [system, ...messages]) {
    const length = message.range.end - message.range.start;
    const isFile = hasFiles && length >= fileBytesMin && carriesFile(message, tape);
    bytes += isFile ? message.text().length : length;
    if (isFile) fileTokens += tokensPerFile;
  }
  return {
    tools: tools.length > 0,
    images,
    documents,
    jsonMode: asksForJson(tape),
    streaming: outline.stream,
    thinking: turnsReasoningOn(tape),
    inputTokens: Math.ceil(bytes / bytesPerToken) + fileTokens,
    outputTokensMax: outline.maxOutputTokens ?? null,
    marksCache: messages.some(({ cacheControl }) => cacheControl) || system?.cacheControl === true,
  };
}

/**
 * Estimates the tokens of the model's last message and all later messages, or of all messages if the model has not
 * responded yet.
 */
export function estimateFresh({ messages }: ParsedRequest['outline'], bytesPerToken: number): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const from = messages[Math.max(0, last)]?.range.start ?? 0;
  const end = messages.at(-1)?.range.end ?? from;
  return Math.ceil((end - from) / bytesPerToken);
}

function carriesFile({ range }: MessageOutline, { bytes }: JsonTape): boolean {
  const message = bytes.subarray(range.start, range.end);
  return [...imageMarks, ...documentMarks].some((mark) => message.includes(mark));
}

/**
 * Returns whether the request requires JSON output. The function reads the fields of chat-completions,
 * messages, converse and responses, in that order.
 */
function asksForJson(tape: JsonTape): boolean {
  const { root } = tape;
  const format = tape.get(root, 'response_format');
  if (format !== undefined) {
    const type = tape.get(format, 'type');
    return type !== undefined && (tape.isString(type, 'json_object') || tape.isString(type, 'json_schema'));
  }
  const config = tape.get(root, 'output_config') ?? tape.get(root, 'outputConfig');
  const inConfig =
    config === undefined ? undefined : (tape.get(config, 'format') ?? tape.get(config, 'textFormat'));
  return isSet(tape, tape.get(root, 'output_format')) || isSet(tape, inConfig) || asksForJsonText(tape);
}

/** Reads the text format of a Responses API request. */
function asksForJsonText(tape: JsonTape): boolean {
  const text = tape.get(tape.root, 'text');
  const format = text === undefined ? undefined : tape.get(text, 'format');
  const type = format === undefined ? undefined : tape.get(format, 'type');
  return type !== undefined && !tape.isString(type, 'text');
}

function isSet(tape: JsonTape, node: ReturnType<JsonTape['get']>): boolean {
  return node !== undefined && tape.kind(node) === 'object';
}

/**
 * Returns the task that started a conversation, which is the last user message before the model's first turn.
 */
export function readTask({ messages }: Pick<RequestOutline, 'messages'>): string {
  const firstTurn = messages.findIndex(({ role }) => role === 'assistant');
  const beginning = firstTurn < 0 ? messages : messages.slice(0, firstTurn);
  const task =
    beginning.findLast(({ role }) => role === 'user') ?? messages.findLast(({ role }) => role === 'user');
  return task?.text() ?? '';
}
