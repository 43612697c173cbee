import type { AnswerChoice, ChatAnswer, ChatPart, JsonObject } from '@gateway/interchange';
import type { AnswerDefaults } from '../../common/format.ts';
import { own } from '../shared/own-members.ts';
import { mapToRawReason } from '../shared/finish-reasons.ts';
import { renderUsage } from '../shared/token-usage.ts';
import { optional } from '../../json/read-members.ts';
import { renderBlock } from '../shared/blocks.ts';
import { readArguments } from '../shared/tools.ts';

const idPrefix = 'msg_';

/**
 * The id of a response in the form of the messages format. Ids of Anthropic are unchanged, and the ids of other
 * formats get the prefix of Anthropic's ids.
 */
export function renderId(id: string, isOwnFormat: boolean): string {
  return isOwnFormat || id.startsWith(idPrefix) ? id : `${idPrefix}${id}`;
}

/** Renders a non-streaming response, using only the first choice. Extra fields from Anthropic are included. */
export function renderResponse(answer: ChatAnswer, defaults: AnswerDefaults): JsonObject {
  const { usage: rawUsage, ...members } = own.read(answer);
  const [choice] = answer.choices;
  const usage = answer.usage ?? { inputTokens: 0, outputTokens: 0 };
  return {
    id: renderId(answer.id ?? defaults.id, answer.format === 'messages'),
    type: 'message',
    role: 'assistant',
    model: answer.model ?? defaults.model,
    content: choice === undefined ? [] : renderContent(choice, answer.format === 'messages'),
    stop_reason: choice === undefined ? null : renderReason(choice, answer.format === 'messages'),
    stop_sequence: null,
    usage: rawUsage ?? renderUsage(usage),
    ...members,
    ...own.read(choice),
  };
}

/**
 * Drops empty text blocks. Many providers send empty text blocks next to tool calls, but Anthropic rejects
 * empty text blocks in later requests.
 */
function renderContent({ parts }: AnswerChoice, isOwnFormat: boolean): JsonObject[] {
  const shown = isOwnFormat ? parts : parts.filter((part) => part.type !== 'text' || part.text !== '');
  return shown.map(renderAnswerBlock).filter((block) => block !== undefined);
}

function renderReason({ finishReason, rawReason }: AnswerChoice, isOwnFormat: boolean): string | null {
  const mapped = finishReason === undefined ? null : mapToRawReason(finishReason);
  return isOwnFormat ? (rawReason ?? mapped) : mapped;
}

/** Renders a response part as a block. Returns undefined if the messages format has no block for the part. */
export function renderAnswerBlock(part: ChatPart): JsonObject | undefined {
  const block = renderBlock(part);
  if (block === undefined || part.type !== 'tool-call') return block;
  const input = part.kind === 'function' ? readArguments(part.argumentsText) : undefined;
  // The provider that produced a tool call expects the call's signature in later requests.
  return { ...block, ...(input === undefined ? {} : { input }), ...optional('signature', part.signature) };
}

/** Renders the response to `POST /v1/messages/count_tokens`. */
export function renderTokenCount(inputTokens: number): JsonObject {
  return { input_tokens: inputTokens };
}
