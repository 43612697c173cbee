import { costUsd, loadCatalog } from '@gateway/model-catalog';
import { addAbandonedCost, addAbandonedTokens } from './add-abandoned.ts';

const catalog = loadCatalog();
const usage = {
  inputTokens: 100,
  outputTokens: 20,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  estimated: false,
};
const call = { provider: 'openai', model: 'gpt-4o-mini', bytes: 4_000 };

describe('calls that were ended for another one’s answer', () => {
  it('count with what they read, as an estimate, each at its own price', () => {
    const added = addAbandonedTokens(usage, { abandoned: [call] });
    expect(added.inputTokens).toBeGreaterThan(100);
    expect(added).toMatchObject({ outputTokens: 20, estimated: true });
    const read = { inputTokens: added.inputTokens - 100, outputTokens: 0 };
    const own = costUsd(catalog.find('openai', 'gpt-4o-mini')!, read)!;
    expect(addAbandonedCost(0.5, { abandoned: [call] }, catalog)).toBeCloseTo(0.5 + own, 12);
  });

  it('that there are none of change nothing, and one of an unknown price leaves none known', () => {
    expect(addAbandonedTokens(usage, { abandoned: [] })).toBe(usage);
    expect(addAbandonedCost(0.5, { abandoned: [] }, catalog)).toBe(0.5);
    const unknown = { ...call, model: 'a-model-of-tomorrow' };
    expect(addAbandonedCost(0.5, { abandoned: [unknown] }, catalog)).toBeNull();
  });
});
