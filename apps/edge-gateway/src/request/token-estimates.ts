import type { JsonTape } from '@gateway/wire-formats';

/**
 * OpenAI's rule of thumb for the number of characters per token in English text. The gateway uses this ratio if no
 * token count is available.
 */
export const charactersPerToken = 4;

/** The fields in a messages request that the model reads. */
const readFields = ['system', 'messages', 'tools'] as const;

/**
 * Estimated tokens of the files in a request. The number `image` is the token count of the largest image that
 * Anthropic does not scale down (1,568 pixels, "Vision"). The number `document` is the maximum token count of
 * one page (Anthropic, "PDF support"). The number of pages is unknown, so a document counts as one page.
 */
const tokensPerFile = { image: 1600, document: 3000 } as const;

/** Estimates the input tokens of a messages request, for providers without a counting endpoint. */
export function estimateTokens(tape: JsonTape): number {
  const sum = { characters: 0, fileTokens: 0 };
  for (const field of readFields) {
    const node = tape.get(tape.root, field);
    if (node !== undefined) addValue(tape.value(node), sum);
  }
  return Math.ceil(sum.characters / charactersPerToken) + sum.fileTokens;
}

interface Sum {
  characters: number;
  fileTokens: number;
}

/** The recursion is bounded, because the JSON scan limits the nesting of the request. */
function addValue(value: unknown, sum: Sum): void {
  if (typeof value !== 'object' || value === null) {
    sum.characters += String(value).length;
  } else if (Array.isArray(value)) {
    for (const item of value) addValue(item, sum);
  } else {
    addObject(value as Record<string, unknown>, sum);
  }
}

function addObject(object: Record<string, unknown>, sum: Sum): void {
  const { type, source } = object;
  if ((type === 'image' || type === 'document') && !isText(source)) {
    sum.fileTokens += tokensPerFile[type];
    return;
  }
  for (const [name, member] of Object.entries(object)) {
    sum.characters += name.length;
    addValue(member, sum);
  }
}

/** A document's source may also be plain text or content blocks. */
function isText(source: unknown): boolean {
  if (typeof source !== 'object' || source === null || !('type' in source)) return false;
  return source.type === 'text' || source.type === 'content';
}
