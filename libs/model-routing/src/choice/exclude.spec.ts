import { loadCatalog } from '@gateway/model-catalog';
import type { CatalogModel } from '@gateway/model-catalog';
import { findUnmetNeed } from './exclude.ts';
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

describe('findUnmetNeed', () => {
  it('returns undefined for a request without special needs', () => {
    expect(findUnmetNeed(known, nothing)).toBeUndefined();
  });

  it.each([
    ['tools', 'no_tools'],
    ['images', 'no_images'],
    ['documents', 'no_documents'],
    ['jsonMode', 'no_json_mode'],
    ['streaming', 'no_streaming'],
    ['thinking', 'no_thinking'],
  ] as const)('for %s returns %s only when a source documents that the model lacks it', (need, rule) => {
    const needs = { ...nothing, [need]: true };
    const having = (has: boolean | null) => change({ capabilities: { ...known.capabilities, [need]: has } });
    expect(findUnmetNeed(having(false), needs)).toBe(rule);
    expect(findUnmetNeed(having(null), needs)).toBeUndefined();
    expect(findUnmetNeed(having(true), needs)).toBeUndefined();
  });

  it('returns a length rule only when the catalogue states the limits', () => {
    const model = change({ contextWindow: 4_000, maxOutputTokens: 2_000 });
    expect(findUnmetNeed(model, { ...nothing, inputTokens: 4_001 })).toBe('context_too_short');
    expect(findUnmetNeed(model, { ...nothing, inputTokens: 3_000, outputTokensMax: 1_001 })).toBe(
      'context_too_short',
    );
    expect(findUnmetNeed(model, { ...nothing, outputTokensMax: 2_001 })).toBe('output_too_short');
    const limited = change({ contextWindow: 4_000, maxInputTokens: 3_000 });
    expect(findUnmetNeed(limited, { ...nothing, inputTokens: 3_000 })).toBeUndefined();
    expect(findUnmetNeed(limited, { ...nothing, inputTokens: 3_001 })).toBe('context_too_short');
    const unknown = change({ contextWindow: null, maxOutputTokens: null });
    expect(
      findUnmetNeed(unknown, { ...nothing, inputTokens: 4_001, outputTokensMax: 9_999 }),
    ).toBeUndefined();
  });
});
