import { loadCatalog } from './model-catalog.ts';
import { createOwnModel, extendCatalog } from './own-models.ts';

const catalog = loadCatalog();
const format = 'chat-completions' as const;

describe('createOwnModel', () => {
  test('facts without a value come from the catalogue’s record of the model', () => {
    const known = catalog.find('openai', 'gpt-4o');
    const own = createOwnModel({ provider: 'openai', modelId: 'gpt-4o', format, contextWindow: 9 }, catalog);
    expect(own).toMatchObject({ contextWindow: 9, prices: known?.prices, capabilities: known?.capabilities });
  });

  test('capabilities, but no prices, come from the same model at another provider', () => {
    const sibling = catalog.find('openai', 'gpt-4o');
    const capabilities = { images: false, tools: null };
    const own = createOwnModel({ provider: 'vllm', modelId: 'gpt-4o', format, capabilities }, catalog);
    expect(own.capabilities).toEqual({ ...sibling?.capabilities, images: false });
    expect(own.prices).toBeNull();
  });

  test.each([
    ['llama3.2:latest', 'chat'],
    ['nomic-embed-text', 'embedding'],
    ['bge-reranker-v2', 'rerank'],
    ['whisper-large-v3', 'transcription'],
  ])('the kind of the unknown model %s is %s', (modelId, kind) => {
    expect(createOwnModel({ provider: 'ollama', modelId, format }, catalog).kind).toBe(kind);
  });
});

describe('extendCatalog', () => {
  const house = createOwnModel({ provider: 'vllm', modelId: 'house', aliases: ['gpt-4o'], format }, catalog);
  const dear = createOwnModel(
    { provider: 'openai', modelId: 'gpt-4o', format, prices: { input: 7, output: 8 } },
    catalog,
  );
  const extended = extendCatalog(catalog, [house, dear]);

  test('own models are found by id and alias, next to the shipped models', () => {
    expect(extended.find('vllm', 'house')).toBe(house);
    expect(extended.find('vllm', 'gpt-4o')).toBe(house);
    expect(extended.find('openai', 'gpt-4o')).toBe(dear);
    expect(extended.find('openai', 'gpt-4o-mini')).toBe(catalog.find('openai', 'gpt-4o-mini'));
    expect(extended.providersOf('gpt-4o', 'chat')).toEqual([
      ...catalog.providersOf('gpt-4o', 'chat'),
      'vllm',
    ]);
    expect(extended.providersOf('house', 'embedding')).toEqual([]);
  });

  test('an own model replaces the shipped model with the same id in the lists', () => {
    const ids = extended.modelsOf('openai').map(({ modelId }) => modelId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(catalog.modelsOf('openai').length);
    expect(extended.modelsOf('openai')).toContain(dear);
    expect(extended.models).toHaveLength(catalog.models.length + 1);
  });

  test('without own models, the catalogue is unchanged', () => {
    expect(extendCatalog(catalog, [])).toBe(catalog);
  });
});
