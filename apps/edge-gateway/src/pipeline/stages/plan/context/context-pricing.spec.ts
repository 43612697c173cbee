import { loadCatalog } from '@gateway/model-catalog';
import { priceContext } from './context-pricing.ts';

const model = loadCatalog().find('anthropic', 'claude-sonnet-4-5')!;
const at = Date.parse('2026-11-23T12:00:00Z');
const million = 1_000_000;

describe('priceContext', () => {
  it('prices new messages as cache writes and repeated messages as cache reads', () => {
    const { input, cacheRead, cacheWrite } = model.prices!;
    expect(priceContext(model, { savedNew: million, savedAgain: 0, rewritten: 0 }, at)).toEqual({
      tokensSaved: million,
      savedUsd: cacheWrite,
      rewrittenUsd: 0,
    });
    expect(priceContext(model, { savedNew: 0, savedAgain: million, rewritten: 0 }, at).savedUsd).toBe(
      cacheRead,
    );
    const uncached = { ...model, cache: null };
    expect(
      priceContext(uncached, { savedNew: million, savedAgain: million, rewritten: million }, at),
    ).toEqual({
      tokensSaved: 2 * million,
      savedUsd: 2 * input,
      rewrittenUsd: 0,
    });
  });

  it('prices a rewrite as the difference between a cache write and a cache read', () => {
    const { cacheRead = 0, cacheWrite = 0 } = model.prices!;
    const { rewrittenUsd } = priceContext(model, { savedNew: 0, savedAgain: 0, rewritten: million }, at);
    expect(rewrittenUsd).toBeCloseTo(cacheWrite - cacheRead);
  });

  it('returns null amounts for a model without prices', () => {
    const unknown = { tokensSaved: 2, savedUsd: null, rewrittenUsd: null };
    expect(priceContext(undefined, { savedNew: 1, savedAgain: 1, rewritten: 1 }, at)).toEqual(unknown);
  });
});
