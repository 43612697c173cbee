import { loadCatalog } from '@gateway/model-catalog';
import type { CatalogModel } from '@gateway/model-catalog';
import { findLack } from './exclude.ts';
import type { Needs } from './question.ts';

const catalog = loadCatalog();
const nothing: Needs = {
  tools: false,
  images: false,
  documents: false,
  jsonMode: false,
  streaming: false,
  thinking: false,
  inputTokens: 1_000,
  outputTokensMax: null,
  marksCache: false,
};
const known = catalog.find('groq', 'llama-3.1-8b-instant')!;
const change = (more: Partial<CatalogModel>): CatalogModel => ({ ...known, ...more });

describe('what a named model lacks', () => {
  it('is nothing where the request needs nothing', () => {
    expect(findLack(known, nothing)).toBeUndefined();
  });

  it.each([
    ['tools', 'no_tools'],
    ['images', 'no_images'],
    ['documents', 'no_documents'],
    ['jsonMode', 'no_json_mode'],
    ['streaming', 'no_streaming'],
    ['thinking', 'no_thinking'],
  ] as const)('is %s where a source says that it has none, and not where none does', (need, rule) => {
    const needs = { ...nothing, [need]: true };
    const having = (has: boolean | null) => change({ capabilities: { ...known.capabilities, [need]: has } });
    expect(findLack(having(false), needs)).toBe(rule);
    expect(findLack(having(null), needs)).toBeUndefined();
    expect(findLack(having(true), needs)).toBeUndefined();
  });

  it('is room, for the request or for the answer, where the catalogue knows how much there is', () => {
    const model = change({ contextWindow: 4_000, maxOutputTokens: 2_000 });
    expect(findLack(model, { ...nothing, inputTokens: 4_001 })).toBe('context_too_short');
    expect(findLack(model, { ...nothing, inputTokens: 3_000, outputTokensMax: 1_001 })).toBe(
      'context_too_short',
    );
    expect(findLack(model, { ...nothing, outputTokensMax: 2_001 })).toBe('output_too_short');
    const unknown = change({ contextWindow: null, maxOutputTokens: null });
    expect(findLack(unknown, { ...nothing, inputTokens: 4_001, outputTokensMax: 9_999 })).toBeUndefined();
  });
});
