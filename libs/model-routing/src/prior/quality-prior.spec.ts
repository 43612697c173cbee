import { loadCatalog } from '@gateway/model-catalog';
import { rateQuality } from './quality-prior.ts';

const chat = loadCatalog().models.filter(({ kind }) => kind === 'chat');
const qualities = rateQuality(chat);
const qualityOf = (provider: string, modelId: string) =>
  qualities.get(loadCatalog().find(provider, modelId)!)!;

describe('a model’s quality prior', () => {
  it('is between 0 and 1 for every chat model', () => {
    expect(qualities.size).toBe(chat.length);
    for (const quality of qualities.values()) {
      expect(quality).toBeGreaterThan(0);
      expect(quality).toBeLessThan(1);
    }
  });

  it('ranks models as public benchmarks do, even models without a common benchmark', () => {
    expect(qualityOf('openai', 'gpt-4o')).toBeGreaterThan(qualityOf('openai', 'gpt-4o-mini'));
    expect(qualityOf('openai', 'gpt-5.5')).toBeGreaterThan(qualityOf('openai', 'gpt-4o'));
    expect(qualityOf('anthropic', 'claude-opus-4-8')).toBeGreaterThan(
      qualityOf('anthropic', 'claude-haiku-4-5'),
    );
    expect(qualityOf('anthropic', 'claude-opus-4-8')).toBeGreaterThan(qualityOf('openai', 'gpt-4.1'));
  });

  it('increases with a better benchmark result, all else equal', () => {
    const target = loadCatalog().find('openai', 'gpt-5.2')!;
    const better = {
      ...target,
      quality: target.quality.map((figure) => ({ ...figure, value: figure.value + 20 })),
    };
    const again = rateQuality(chat.map((model) => (model === target ? better : model)));
    expect(again.get(better)).toBeGreaterThan(qualities.get(target)!);
  });
});
