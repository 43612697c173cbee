import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WordsEncoder } from '../../apps/tool-router/src/encoder/words-encoder.adapter.ts';
import { FeatureReranker } from '../../apps/tool-router/src/reranker/feature-reranker.adapter.ts';
import { featureNames } from '../../apps/tool-router/src/second-stage/features.ts';
import { rankByPath, type PathName } from '../../test/eval/rank-paths.ts';
import { meanFigures, measureRanking, type RankingFigures } from '../../test/eval/ranking-figures.ts';
import { SemanticPath } from '../../test/eval/semantic-path.ts';
import { loadToolData } from '../../test/eval/tool-data.ts';
import { readFigures, renderCard } from '../../training/cards.ts';

const root = join(import.meta.dirname, '../..');
const folders = ['encoder', 'reranker'] as const;
const directoryOf = (name: string): string => join(root, 'models', name);
const megabyte = 1_000_000;

describe('the shipped models', () => {
  it('the shipped models take at most 16 MB in total', () => {
    const bytes = folders.flatMap((name) =>
      readdirSync(directoryOf(name)).map((file) => statSync(join(directoryOf(name), file)).size),
    );
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(16 * megabyte);
  });

  it('the router can open the shipped models: the encoder has 256 dimensions, and the reranker accepts the features', async () => {
    const encoder = await WordsEncoder.open(directoryOf('encoder'), 1);
    const reranker = await FeatureReranker.open(directoryOf('reranker'), 1);
    expect(encoder.dimensions).toBe(256);
    expect(reranker.reads.features).toEqual(featureNames);
    await Promise.all([encoder.release(), reranker.release()]);
  }, 60_000);

  it.each(folders)('the model card of %s has the measured figures', (name) => {
    const card = readFileSync(join(directoryOf(name), 'card.md'), 'utf8');
    expect(card).toBe(renderCard(name, readFigures()));
  });
});

describe('ranking with the shipped models, on a server absent from their training data', () => {
  const data = loadToolData(join(root, 'test/eval/sample'));
  const semantic = new SemanticPath(data);

  async function measure(path: PathName): Promise<RankingFigures> {
    const figures: RankingFigures[] = [];
    for (const question of data.questions) {
      const { goldRanks } = await rankByPath(path, data, semantic, question, question.pools[100] ?? []);
      figures.push(measureRanking(goldRanks));
    }
    return meanFigures(figures);
  }

  it('the shipped models find more of the needed tools than the keyword method', async () => {
    const [words, ours] = [await measure('bm25_fielded'), await measure('semantic')];
    expect(ours['recall@5']).toBeGreaterThan(words['recall@5'] + 0.02);
    expect(ours['recall@10']).toBeGreaterThanOrEqual(words['recall@10']);
    expect(ours['recall@10']).toBeGreaterThan(0.8);
  }, 60_000);
});
