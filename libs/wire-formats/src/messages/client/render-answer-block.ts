import type { ChatPart, JsonObject } from '@gateway/interchange';
import { optional } from '../../json/read-members.ts';
import { renderBlock } from '../render-block.ts';
import { readArguments } from '../tool-use.ts';

/** The block that shows a part of an answer; undefined for what the format has no block for. */
export function renderAnswerBlock(part: ChatPart): JsonObject | undefined {
  const block = renderBlock(part);
  if (block === undefined || part.type !== 'tool-call') return block;
  const input = part.kind === 'function' ? readArguments(part.argumentsText) : undefined;
  // Clients send calls back as they got them, and then the call's provider looks for its signature.
  return { ...block, ...(input === undefined ? {} : { input }), ...optional('signature', part.signature) };
}
