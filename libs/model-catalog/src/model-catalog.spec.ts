import type { CatalogFileInput, ModelKind, ModelRecordInput } from './catalog-file.ts';
import { createCatalog, loadCatalog } from './model-catalog.ts';

const record = (over: Partial<ModelRecordInput> = {}): ModelRecordInput => ({
  provider: 'p',
  modelId: 'm',
  formats: ['chat-completions'],
  contextWindow: 1000,
  maxOutputTokens: null,
  prices: { input: 2, output: 4, cacheRead: 0.5 },
  capabilities: {
    tools: true,
    images: null,
    documents: null,
    jsonMode: null,
    streaming: true,
    thinking: false,
  },
  cache: { kind: 'automatic', minTokens: 1024, ttlSeconds: null },
  releasedAt: '2026-01',
  sources: ['s'],
  ...over,
});
const file = (...models: ModelRecordInput[]): CatalogFileInput => ({
  sources: { s: { title: 's', licence: 'MIT', takenOn: '2026-07' } },
  models,
});

describe('createCatalog', () => {
  test('finds a model by id or alias, but only at its own provider', () => {
    const catalog = createCatalog(file(record({ aliases: ['m-latest'] }), record({ provider: 'q' })));
    expect(catalog.find('p', 'm')?.modelId).toBe('m');
    expect(catalog.find('p', 'm-latest')?.modelId).toBe('m');
    expect(catalog.find('q', 'm-latest')).toBeUndefined();
    expect(catalog.find('p', 'M')).toBeUndefined();
    expect(catalog.find('p', 'constructor')).toBeUndefined();
  });

  test('lists all providers that serve a model id, in file order', () => {
    const catalog = createCatalog(
      file(
        record({ provider: 'q' }),
        record({ aliases: ['x'] }),
        record({ provider: 'r', modelId: 'other' }),
      ),
    );
    expect(catalog.providersOf('m')).toEqual(['q', 'p']);
    expect(catalog.providersOf('x')).toEqual(['p']);
    expect(catalog.providersOf('none')).toEqual([]);
    expect(catalog.modelsOf('p').map(({ modelId }) => modelId)).toEqual(['m']);
    expect(catalog.modelsOf('none')).toEqual([]);
  });

  test('distinguishes models of different kinds with the same id', () => {
    const catalog = createCatalog(
      file(record({ kind: 'embedding', formats: [] }), record({ provider: 'q', aliases: ['x'] })),
    );
    expect(catalog.providersOf('m')).toEqual(['p', 'q']);
    expect(catalog.providersOf('m', 'chat')).toEqual(['q']);
    expect(catalog.providersOf('m', 'embedding')).toEqual(['p']);
    expect(catalog.providersOf('m', 'rerank')).toEqual([]);
  });

  test('computes cache multipliers from prices, or null if a price is unknown', () => {
    expect(createCatalog(file(record())).find('p', 'm')?.cache).toEqual({
      kind: 'automatic',
      minTokens: 1024,
      ttlSeconds: null,
      readMultiplier: 0.25,
      writeMultiplier: null,
    });
    const free = createCatalog(file(record({ prices: { input: 0, output: 0, cacheRead: 0 } })));
    expect(free.find('p', 'm')?.cache?.readMultiplier).toBeNull();
    expect(createCatalog(file(record({ cache: null }))).find('p', 'm')?.cache).toBeNull();
  });

  test.each<[string, unknown]>([
    ['a duplicate id at a provider', file(record(), record({ modelId: 'n', aliases: ['m'] }))],
    ['a source that is not listed', file(record({ sources: ['unknown'] }))],
    ['a negative price', file(record({ prices: { input: -1, output: 0 } }))],
    ['an unknown field', file({ ...record(), colour: 'red' } as ModelRecordInput)],
    ['a chat model without a format', file(record({ formats: [] }))],
    ['a chat format on a model of another kind', file(record({ kind: 'image' }))],
    ['a context window of zero', file(record({ contextWindow: 0 }))],
    [
      'a dispute with a source that is not listed',
      file(record({ disputes: [{ field: 'input', other: 3, source: 'x' }] })),
    ],
    [
      'evidence from a source that is not listed',
      file(record({ evidence: { binding: { source: 'x', confidence: 'assumed' } } })),
    ],
    [
      'a price whose hours end before they start',
      file(
        record({
          prices: { input: 1, output: 1, periods: [{ hours: [['10:00', '09:00']], input: 1, output: 1 }] },
        }),
      ),
    ],
    ['a file without models', {}],
  ])('rejects %s', (_what, content) => {
    expect(() => createCatalog(content)).toThrow();
  });

  test('looks up a model in constant time among 20 or 20,000 models', () => {
    const timeOf = (size: number): number => {
      const catalog = createCatalog(
        file(...Array.from({ length: size }, (_, index) => record({ modelId: `m-${String(index)}` }))),
      );
      const id = `m-${String(size - 1)}`;
      const rounds = Array.from({ length: 7 }, () => {
        const start = process.hrtime.bigint();
        for (let round = 0; round < 50_000; round += 1) {
          catalog.find('p', id);
          catalog.find('p', 'missing');
        }
        return Number(process.hrtime.bigint() - start);
      });
      return Math.min(...rounds);
    };
    // A linear scan would be a thousand times slower.
    // The factor of ten allows for CPU cache effects and a busy machine.
    expect(timeOf(20_000)).toBeLessThan(10 * timeOf(20));
  });
});

describe('the catalogue shipped with the gateway', () => {
  const catalog = loadCatalog();

  test('is parsed only once', () => {
    expect(loadCatalog()).toBe(catalog);
  });

  test('has more than 150 current chat models and a free sandbox model', () => {
    const current = catalog.models.filter(({ deprecated, kind }) => !deprecated && kind === 'chat');
    expect(current.length).toBeGreaterThan(150);
    expect(catalog.find('sandbox', 'sandbox-1')).toMatchObject({
      prices: { input: 0, output: 0 },
      capabilities: { tools: true },
    });
    expect(catalog.find('openai', 'gpt-4o-mini')).toMatchObject({
      capabilities: { tools: true, streaming: true },
      cache: { kind: 'automatic', minTokens: 1024 },
    });
  });

  test.each<[ModelKind, string, string]>([
    ['embedding', 'openai', 'text-embedding-3-small'],
    ['image', 'openai', 'gpt-image-2'],
    ['speech', 'openai', 'tts-1'],
    ['transcription', 'groq', 'whisper-large-v3'],
    ['rerank', 'cohere', 'rerank-v3.5'],
    ['ocr', 'mistral', 'mistral-ocr-latest'],
    ['moderation', 'openai', 'omni-moderation-latest'],
    ['video', 'xai', 'grok-imagine-video'],
  ])('has %s models and never lists them as chat models', (kind, provider, modelId) => {
    expect(catalog.find(provider, modelId)).toMatchObject({ kind, formats: [], cache: null });
    expect(catalog.providersOf(modelId, kind)).toContain(provider);
    expect(catalog.providersOf(modelId, 'chat')).toEqual([]);
  });

  test('Claude caches marked prefixes for five minutes, at 0.1 of the input price to read and 1.25 to write', () => {
    const claudes = ['anthropic', 'hosted'].flatMap((name) =>
      catalog.modelsOf(name).filter(({ modelId, prices }) => modelId.includes('claude') && prices !== null),
    );
    expect(claudes.length).toBeGreaterThan(20);
    for (const { modelId, cache } of claudes) {
      expect([modelId, cache?.kind, cache?.ttlSeconds]).toEqual([modelId, 'explicit', 300]);
    }
    for (const id of ['claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-opus-4-8', 'claude-fable-5']) {
      const cache = catalog.find('anthropic', id)?.cache;
      expect(cache?.readMultiplier).toBeCloseTo(0.1, 3);
      expect(cache?.writeMultiplier).toBeCloseTo(1.25, 3);
    }
  });

  test('takes retirement dates from the announcement pages and the fact list', () => {
    expect(catalog.find('openai', 'gpt-5')).toMatchObject({ deprecated: true, retiredAt: '2026-12-11' });
    expect(catalog.find('anthropic', 'claude-opus-4-8')).toMatchObject({
      deprecated: false,
      retiredAt: null,
    });
    const ending = catalog.models.filter(({ retiredAt }) => retiredAt !== null);
    expect(ending.length).toBeGreaterThan(40);
    for (const { modelId, deprecated, releasedAt, retiredAt, sources } of ending) {
      expect([modelId, deprecated, (releasedAt ?? '') < (retiredAt ?? '')]).toEqual([modelId, true, true]);
      expect(sources.some((source) => source.endsWith('-deprecations') || source === 'facts')).toBe(true);
    }
  });

  test('has a source URL for each quality figure', () => {
    const measured = catalog.models.filter(({ quality }) => quality.length > 0);
    expect(measured.length).toBeGreaterThan(150);
    expect(catalog.find('openai', 'gpt-4.1')?.quality).toContainEqual(
      expect.objectContaining({ measure: 'Aider Polyglot', value: 52.4, measuredOn: '2025-04-14' }),
    );
    // The entries belong to one model, which has a dated id at its vendor and a longer id at another host.
    const ofOpus = catalog.find('anthropic', 'claude-opus-4-5-20251101')?.quality;
    expect(ofOpus).not.toEqual([]);
    expect(catalog.find('hosted', 'us.anthropic.claude-opus-4-5-20251101-v1:0')?.quality).toEqual(ofOpus);
    expect(catalog.find('anthropic', 'claude-opus-5')?.quality).toEqual([]);
  });

  test('names the sources for every model', () => {
    for (const model of catalog.models) expect(model.sources.length).toBeGreaterThan(0);
  });

  test('has ascending tiers, and cached input never costs more than regular input', () => {
    for (const { modelId, prices } of catalog.models) {
      if (prices === null) continue;
      const starts = prices.tiers?.map(({ aboveInputTokens }) => aboveInputTokens) ?? [];
      expect([modelId, starts]).toEqual([modelId, starts.toSorted((a, b) => a - b)]);
      expect(prices.cacheRead ?? 0).toBeLessThanOrEqual(prices.input);
    }
  });
});
