import type {
  BlockOutcome,
  CompressionSettings,
  ContextBlock,
} from '../../apps/compressor/src/compress-blocks/context-block.ts';
import { ConversationCompressor } from '../../apps/compressor/src/compress-blocks/conversation.ts';
import { criticalTerms } from '../../apps/compressor/src/text/critical-terms.ts';
import { resolveReferences } from '../../apps/compressor/src/compress-blocks/references/resolve-references.fixture.ts';
import { expandTables } from '../../apps/compressor/src/compress-blocks/steps/expand-tables.fixture.ts';

export const modes: readonly CompressionSettings[] = [
  { mode: 'lossless', recoverable: false, sessionSeed: 'one' },
  { mode: 'balanced', recoverable: false, sessionSeed: 'one' },
  { mode: 'balanced', recoverable: true, sessionSeed: 'one' },
];

export function compressAll(blocks: readonly ContextBlock[], settings: CompressionSettings): BlockOutcome[] {
  const compressor = new ConversationCompressor(settings);
  return blocks.map((block) => compressor.add(block));
}

export function sentTexts(blocks: readonly ContextBlock[], outcomes: readonly BlockOutcome[]): string[] {
  return blocks.map(({ text }, at) => outcomes[at]?.text ?? text);
}

/**
 * Parses JSON text into a normal form, with numbers as written in the text and with sorted object fields.
 * Returns undefined if the text is not JSON.
 */
export function readExactly(text: string): unknown {
  try {
    const reviver = (_: string, value: unknown, context?: { source?: string }): unknown => {
      if (typeof value === 'number') return { number: context?.source };
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
    };
    return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]) as unknown;
  } catch {
    return undefined;
  }
}

export function expandExactly(text: string): unknown {
  const value = readExactly(text);
  return value === undefined ? undefined : readExactly(JSON.stringify(expandTables(value)));
}

/** Returns the text of each context block, with references replaced by the referenced text. */
export function followed(sent: readonly string[]): string[] {
  return sent.map((text, at) => resolveReferences(sent.slice(0, at), text));
}

/** Returns the terms in the context block and in the last user turn before it. */
export function termsAsked(blocks: readonly ContextBlock[], at: number): string[] {
  const asked = blocks.slice(0, at).findLast(({ speaker }) => speaker === 'user');
  const text = blocks[at]?.text.toLowerCase() ?? '';
  return asked === undefined ? [] : [...criticalTerms(asked.text)].filter((term) => text.includes(term));
}
