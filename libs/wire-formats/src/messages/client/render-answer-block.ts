import type { ChatPart, JsonObject } from '@gateway/interchange';
import { renderBlock } from '../render-block.ts';

/** The block that shows a part of an answer; undefined for what the format has no block for. */
export function renderAnswerBlock(part: ChatPart): JsonObject | undefined {
  const block = renderBlock(part);
  // Clients send calls back as they got them, and then the call's provider looks for its signature.
  if (block === undefined || part.type !== 'tool-call' || part.signature === undefined) return block;
  return { ...block, signature: part.signature };
}
