import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openEncoder } from '../../apps/tool-router/src/inference-threads/open-models.ts';
import { WordsEncoder } from '../../apps/tool-router/src/encoder/words-encoder.adapter.ts';
import { FeatureReranker } from '../../apps/tool-router/src/reranker/feature-reranker.adapter.ts';
import { allFeatureNames, featureNames } from '../../apps/tool-router/src/second-stage/feature-names.ts';
import { rankByPath, type PathName } from '../../test/eval/rank-paths.ts';
import { SemanticPath } from '../../test/eval/semantic-path.ts';
import { meanFigures, measureRanking, type RankingFigures } from '../../test/eval/ranking-figures.ts';
import { loadToolData } from '../../test/eval/tool-data.ts';
import { readFigures, renderCard } from '../../training/cards.ts';

const root = join(import.meta.dirname, '../..');
const folders = ['encoder', 'reranker', 'minilm'] as const;
const directoryOf = (name: string): string => join(root, 'models', name);
const megabyte = 1_000_000;

describe('the shipped models', () => {
  it.each([
    [['encoder', 'reranker'], 16],
    [['minilm'], 25],
  ])('the models in %j take at most %d MB in total', (names, megabytes) => {
    const bytes = names.flatMap((name) =>
      readdirSync(directoryOf(name), { recursive: true, encoding: 'utf8' }).map(
        (file) => statSync(join(directoryOf(name), file)).size,
      ),
    );
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(megabytes * megabyte);
  });

  it('the router can open the shipped models: the encoder has 256 dimensions, and the reranker accepts the features', async () => {
    const encoder = await WordsEncoder.open(directoryOf('encoder'), 1);
    const reranker = await FeatureReranker.open(directoryOf('reranker'), 1);
    expect(encoder.dimensions).toBe(256);
    expect(reranker.reads.features).toEqual(featureNames);
    await Promise.all([encoder.release(), reranker.release()]);
  }, 60_000);

  it('the second encoder has its licence and its digests, and puts texts with one meaning close together', async () => {
    const directory = directoryOf('minilm');
    expect(readFileSync(join(directory, 'LICENSE'), 'utf8')).toContain('Apache License');
    const digests = JSON.parse(readFileSync(join(directory, 'digests.json'), 'utf8')) as object;
    expect(Object.keys(digests)).toEqual(['model.onnx', 'tokenizer.json']);
    const encoder = await openEncoder(directory, 1);
    const stage = await FeatureReranker.open(join(directory, 'second-stage'), 1);
    expect(encoder.dimensions).toBe(384);
    expect(stage.reads.features).toEqual(allFeatureNames);
    const texts = ['How is the weather today?', 'Forecast of rain and temperature', 'Delete a customer'];
    const vectors = await encoder.encode(texts.map((text) => [{ field: 'query', text }]));
    const cosine = (one: number, other: number): number =>
      vectors
        .subarray(one * 384, (one + 1) * 384)
        .reduce((sum, value, at) => sum + value * (vectors[other * 384 + at] ?? 0), 0);
    expect(cosine(0, 0)).toBeCloseTo(1, 5);
    expect(cosine(0, 1)).toBeGreaterThan(0.5);
    expect(cosine(0, 2)).toBeLessThan(0.2);
    await Promise.all([encoder.release(), stage.release()]);
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
