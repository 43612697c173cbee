import { catalogFile } from '@gateway/model-catalog';
import { convertProvider } from './convert.ts';
import { parseGenaiPrices } from './genai-prices.ts';
import { mergeLists } from './merge-lists.ts';
import { parseModelsDev } from './models-dev.ts';
import { compareFiles, renderCatalogFile } from './render-file.ts';
import { UpdateReport } from './report.ts';
import type { ProviderRule } from './provider-rules.ts';

const rule: ProviderRule = {
  provider: 'openai',
  modelsDev: 'openai',
  genaiPrices: 'openai',
  formats: ['chat-completions'],
  cache: { kind: 'automatic', minTokens: 1024, ttlSeconds: 300 },
};
const listed = {
  name: 'GPT',
  release_date: '2026-01-02',
  reasoning: true,
  tool_call: true,
  structured_output: true,
  modalities: { input: ['text', 'image'], output: ['text'] },
  limit: { context: 1000, output: 100 },
  cost: { input: 1, output: 2, cache_read: 0.1 },
};

const convert = (models: Record<string, unknown>, second?: unknown) => {
  const report = new UpdateReport();
  const lists = {
    models: mergeLists(parseModelsDev({ openai: { models } }), []),
    facts: undefined,
    genaiPrices: second === undefined ? undefined : parseGenaiPrices(second),
    onDate: '2026-11-20',
  };
  return { records: convertProvider(rule, lists, report), report };
};

describe('converting a list', () => {
  test('a record contains the values in the list, and null for missing values', () => {
    const { records } = convert({ gpt: listed, bare: { modalities: { input: ['text'], output: ['text'] } } });
    expect(records).toEqual([
      expect.objectContaining({
        modelId: 'bare',
        prices: null,
        cache: null,
        contextWindow: null,
        releasedAt: null,
        capabilities: expect.objectContaining({ tools: null, jsonMode: null, thinking: null }),
      }),
      expect.objectContaining({
        modelId: 'gpt',
        contextWindow: 1000,
        maxOutputTokens: 100,
        prices: { input: 1, output: 2, cacheRead: 0.1 },
        cache: rule.cache,
        releasedAt: '2026-01-02',
        sources: ['models.dev'],
        capabilities: {
          tools: true,
          images: true,
          documents: false,
          jsonMode: true,
          streaming: true,
          thinking: true,
        },
      }),
    ]);
  });

  test('a missing price is reported and stays unknown in the catalogue', () => {
    const { records, report } = convert({ gpt: { ...listed, cost: undefined } });
    expect(records[0]?.prices).toBeNull();
    expect(report.counts()).toEqual({ 'missing-price': 1, 'no-quality': 1 });
  });

  test('a cache read price above the input price is reported and ignored', () => {
    const { records, report } = convert({ gpt: { ...listed, cost: { ...listed.cost, cache_read: 1.5 } } });
    expect(records[0]).toMatchObject({ prices: { input: 1, output: 2 }, cache: null });
    expect(report.counts()).toEqual({ implausible: 1, 'no-quality': 1 });
  });

  test('unknown fields are reported by name, at every level', () => {
    const { report } = convert({ gpt: { ...listed, colour: 1, cost: { ...listed.cost, per_call: 1 } } });
    expect(report.render()).toContain('openai/gpt: colour');
    expect(report.render()).toContain('openai/gpt: cost.per_call');
  });

  test('an invalid model is skipped and reported', () => {
    const { records, report } = convert({ gpt: { ...listed, cost: { input: 'cheap', output: 2 } } });
    expect(records).toEqual([]);
    expect(report.render()).toContain('openai/gpt: cost.input');
  });

  test('a model that is not a chat model has a kind, but no chat format and no cache rule', () => {
    const image = { ...listed, modalities: { input: ['text'], output: ['image'] } };
    const { records } = convert({ painter: image, 'text-embedding-9': listed });
    expect(records.slice(0, 2)).toEqual([
      expect.objectContaining({ modelId: 'painter', kind: 'image', formats: [], cache: null }),
      expect.objectContaining({ modelId: 'text-embedding-9', kind: 'embedding', formats: [], cache: null }),
    ]);
  });

  test('models that are not served at the provider’s address are skipped with the reason', () => {
    const elsewhere = { ...listed, provider: { npm: 'another-library' } };
    const { records, report } = convert({ 'gpt-9-realtime': listed, gpt: elsewhere });
    expect(records).toEqual([]);
    expect(report.counts()).toEqual({ excluded: 2 });
  });

  test('models that only the Responses API serves have this format, and other models have chat-completions', () => {
    const { records } = convert({ 'gpt-5.3-codex': listed, 'gpt-5.5-pro': listed, 'gpt-5.5': listed });
    expect(records.map(({ modelId, formats }) => [modelId, formats])).toEqual([
      ['gpt-5.3-codex', ['responses']],
      ['gpt-5.5', ['chat-completions']],
      ['gpt-5.5-pro', ['responses']],
    ]);
  });

  test('listed Claude models have bound reasoning; for newer Claude models, bound reasoning is assumed and reported', () => {
    const { records, report } = convert({
      'claude-9': { ...listed, release_date: '2026-12-01' },
      'claude-9-unthinking': { ...listed, release_date: '2026-12-01', reasoning: false },
      'claude-old': listed,
      'claude-opus-5.5': { ...listed, release_date: '2026-09-22' },
      gpt: { ...listed, release_date: '2026-12-01' },
    });
    const bound = records.filter(({ binding }) => binding?.effect === 'rejects');
    expect(bound.map(({ modelId, sources }) => [modelId, sources])).toEqual([
      ['claude-9', ['models.dev', 'gateway-catalogue']],
      ['claude-opus-5.5', ['models.dev', 'anthropic-prefix-checks']],
    ]);
    expect(report.render()).toContain('openai/claude-9: binds');
    expect(report.counts()).toEqual({ assumed: 1, 'no-quality': 5 });
  });

  test('a model has its announced retirement date with the source of the date, and a missing date is reported', () => {
    const { records, report } = convert({ o1: listed, gone: { ...listed, status: 'deprecated' } });
    expect(records).toEqual([
      expect.objectContaining({ modelId: 'gone', deprecated: true }),
      expect.objectContaining({
        modelId: 'o1',
        deprecated: true,
        retiredAt: '2026-10-23',
        sources: ['models.dev', 'openai-deprecations'],
      }),
    ]);
    expect(records[0]).not.toHaveProperty('retiredAt');
    expect(report.render()).toContain('openai/gone: is deprecated, but no source has its retirement date');
  });

  test("benchmark results come with their sources from the model's entry, or from the entry of the model's maker", () => {
    const figure = { name: 'Exam', score: 71.5, source: 'https://exam.example/board' };
    const measured = { ...figure, metric: 'percent correct', variant: 'high', date: '2026-02-03' };
    const list = {
      base_models: { 'openai/gpt': { ...listed, benchmarks: [measured] } },
      providers: {
        openai: { models: { gpt: listed, own: { ...listed, benchmarks: [figure] }, none: listed } },
      },
    };
    const report = new UpdateReport();
    const lists = {
      models: mergeLists(parseModelsDev(list), []),
      ...{ facts: undefined, genaiPrices: undefined, onDate: '2026-11-20' },
    };
    const records = convertProvider({ ...rule, maker: 'openai' }, lists, report);
    expect(records.map(({ modelId, quality }) => [modelId, quality])).toEqual([
      [
        'gpt',
        [
          {
            measure: 'Exam',
            value: 71.5,
            unit: 'percent correct',
            setting: 'high',
            source: figure.source,
            measuredOn: '2026-02-03',
          },
        ],
      ],
      ['none', undefined],
      ['own', [{ measure: 'Exam', value: 71.5, source: figure.source }]],
    ]);
    expect(report.counts()).toEqual({ 'no-quality': 1 });
  });

  test('an entry inherits from its base model, and fields of the entry take precedence', () => {
    const list = {
      base_models: { base: { ...listed, limit: { context: 5, output: 6, input: 7 } } },
      providers: {
        openai: {
          models: {
            gpt: { base_model: 'base', base_model_omit: ['limit.output'], limit: { context: 9 } },
          },
        },
      },
    };
    expect(Object.fromEntries(parseModelsDev(list).modelsOf('openai') ?? [])).toEqual({
      gpt: { ...listed, limit: { context: 9, input: 7 } },
    });
  });
});

describe('two lists', () => {
  const second = (prices: unknown, match: unknown = { equals: 'gpt' }) => [
    { id: 'openai', models: [{ match, prices }] },
  ];

  test('two lists with equal prices are both named as sources', () => {
    const { records, report } = convert({ gpt: listed }, second({ input_mtok: 1.001, output_mtok: 2 }));
    expect(records[0]).toMatchObject({ sources: ['models.dev', 'genai-prices'] });
    expect(records[0]).not.toHaveProperty('disputes');
    expect(report.counts()).toEqual({ 'no-quality': 1 });
  });

  test('if two lists differ, the first price is used, and the second price is stored as disputed and reported', () => {
    const { records, report } = convert({ gpt: listed }, second({ input_mtok: 3, output_mtok: { base: 2 } }));
    expect(records[0]).toMatchObject({
      prices: { input: 1 },
      disputes: [{ field: 'input', other: 3, source: 'genai-prices' }],
    });
    expect(report.counts()).toEqual({ conflict: 1, 'no-quality': 1 });
  });

  test('prices that start in the future are ignored', () => {
    const dated = [
      { prices: { input_mtok: 9 } },
      { constraint: { start_date: '2026-03-01' }, prices: { input_mtok: 1 } },
      { constraint: { start_date: '2027-01-01' }, prices: { input_mtok: 5 } },
      { constraint: { start_time: '16:30', end_time: '00:30' }, prices: { input_mtok: 0.1 } },
    ];
    expect(convert({ gpt: listed }, second(dated)).report.counts()).toEqual({ 'no-quality': 1 });
  });

  test.each([
    [{ starts_with: 'gp' }],
    [{ ends_with: 'pt' }],
    [{ contains: 'P' }],
    [{ regex: '^gpt$' }],
    [{ or: [{ equals: 'x' }, { equals: 'GPT' }] }],
    [{ and: [{ starts_with: 'g' }, { ends_with: 't' }] }],
  ])('the second list matches models by %j', (match) => {
    const { report } = convert({ gpt: listed }, second({ input_mtok: 3 }, match));
    expect(report.counts()).toEqual({ conflict: 1, 'no-quality': 1 });
  });
});

describe('the data file', () => {
  test('the data file has one line per model, can be parsed again, and changes between two files are listed', () => {
    const { records } = convert({ a: listed, b: listed });
    const sources = { 'models.dev': { title: 't', licence: 'MIT', takenOn: '2026-07' } };
    const text = renderCatalogFile({ sources, models: records });
    expect(JSON.parse(text)).toEqual({ sources, models: records });
    expect(text.split('\n').filter((line) => line.includes('modelId'))).toHaveLength(2);
    expect(() => catalogFile.parse(JSON.parse(text))).not.toThrow();
    const [a, b] = records;
    expect(
      compareFiles(
        [a!, b!],
        [
          { ...b!, deprecated: true },
          { ...b!, modelId: 'c' },
        ],
      ),
    ).toEqual({
      added: ['openai/c'],
      removed: ['openai/a'],
      changed: ['openai/b'],
    });
  });
});
