import type { JsonTape } from '@gateway/wire-formats';
import { charactersPerToken } from './characters-per-token.ts';

/** The fields of a messages request that a model reads. */
const readFields = ['system', 'messages', 'tools'] as const;

/**
 * What an image comes to at the largest size that is not scaled down (1,568 pixels; Anthropic, "Vision"), and a page of
 * a document at most (Anthropic, "PDF support"). How many pages there are is not known: a document counts as one.
 */
const tokensPerFile = { image: 1600, document: 3000 } as const;

/** The input tokens of a messages request, by rule of thumb: for providers that have no way to ask. */
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

/** The scan has bounded how deep a value may be nested. */
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

/** A document may also be plain text, or blocks of content. */
function isText(source: unknown): boolean {
  if (typeof source !== 'object' || source === null || !('type' in source)) return false;
  return source.type === 'text' || source.type === 'content';
}
