import { mergeLists, overlayOfFacts, overlayOfPackage } from './merge-lists.ts';
import { parseFactList } from './fact-list.ts';
import { listDropped, parseDropped, renderDropped } from './dropped-models.ts';
import { parseModelsDev } from './models-dev.ts';
import { parsePackage, parsePackageList } from './package-list.ts';
import { trimList, trimPackage } from './trim-list.ts';

const listed = {
  name: 'M',
  modalities: { input: ['text', 'pdf'], output: ['text'] },
  limit: { context: 1000, output: 100 },
  cost: {
    input: 1,
    output: 2,
    cache_read: 0.1,
    reasoning: 3,
    tiers: [{ input: 5, output: 6, tier: { size: 9 } }],
  },
};
const base = (models: Record<string, unknown>) => parseModelsDev({ openai: { models } });

const packaged = (id: string, cost: Record<string, unknown>) => ({
  id,
  name: 'M',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...cost },
  contextWindow: 2000,
  maxTokens: 200,
  type: 'chat',
});
const packageOf = (...models: ReturnType<typeof packaged>[]) =>
  parsePackage({
    openai: { responses: Object.fromEntries(models.map((model) => [`chat:${model.id}`, model])) },
  });

const fact = (change: Record<string, unknown>) => ({
  ...{ provider: 'openai', list_key: 'openai', model: 'm', name: null, release_date: null },
  ...{ context: null, max_input: null, max_output: null, prices: null, apis: null, tools: null },
  ...{ tools_on_chat_completions: null, thinks: null, thinks_by_default: null, thinking_can_be_off: null },
  ...{ binds_thinking_to_prefix: null, native_tool_deferral: null, min_cacheable_tokens: null },
  ...{ deprecated: null, retires: null, retires_not_before: null, sources: ['a page'] },
  ...change,
});
const factsOf = (...facts: unknown[]) => parseFactList(facts.map((each) => JSON.stringify(each)).join('\n'));
const prices = { input: 7, output: 8, cache_read: null, cache_write_5m: 9, cache_write_1h: 14 };

describe('the package', () => {
  test('the package changes prices, drops tiers of an older price, and keeps all other facts', () => {
    const merged = mergeLists(base({ m: listed }), [
      overlayOfPackage(packageOf(packaged('m', { input: 3, output: 4, cacheWrite: 5 })), '2026-11-10'),
    ]);
    expect(merged.modelsOf('openai')?.get('m')).toEqual({
      ...listed,
      cost: { input: 3, output: 4, cache_read: 0.1, reasoning: 3, cache_write: 5 },
    });
    expect(merged.sourcesOf('openai', 'm')).toEqual(['pi-ai', 'models.dev']);
  });

  test('the package adds models that the list models.dev does not contain', () => {
    const tiers = [{ inputTokensAbove: 272_000, input: 4, output: 6, cacheRead: 0.4, cacheWrite: 0 }];
    const merged = mergeLists(base({}), [
      overlayOfPackage(packageOf(packaged('new', { input: 2, output: 4, tiers })), '2026-11-10'),
    ]);
    expect(merged.modelsOf('openai')?.get('new')).toEqual({
      ...{ name: 'M', reasoning: true, tool_call: true },
      modalities: { input: ['text', 'image'], output: ['text'] },
      limit: { context: 2000, output: 200 },
      cost: {
        ...{ input: 2, output: 4 },
        tiers: [{ input: 4, output: 6, cache_read: 0.4, tier: { type: 'context', size: 272_000 } }],
      },
    });
  });

  test('a price of zero means an unknown price, except for ids that end in :free', () => {
    const merged = mergeLists(base({ m: listed }), [
      overlayOfPackage(packageOf(packaged('m', {}), packaged('x', {}), packaged('x:free', {})), '2026-11-10'),
    ]);
    const costOf = (id: string) => merged.modelsOf('openai')?.get(id)?.['cost'];
    expect([costOf('m'), costOf('x'), costOf('x:free')]).toEqual([
      listed.cost,
      undefined,
      { input: 0, output: 0 },
    ]);
  });

  test('the parser of the package rejects a model without a price field', () => {
    const broken = { ...packaged('m', {}), cost: { input: 1 } };
    const list = parsePackage({ openai: { responses: { 'chat:m': broken } } });
    expect(() => list.modelsOf('openai')).toThrow('cost');
  });
});

describe('the fact list', () => {
  test('the fact list changes the facts that it states and keeps all other facts', () => {
    const merged = mergeLists(base({ m: listed }), [
      overlayOfFacts(factsOf(fact({ prices, max_input: 900, thinks: true })), '2026-11-22'),
    ]);
    expect(merged.modelsOf('openai')?.get('m')).toEqual({
      ...listed,
      reasoning: true,
      limit: { ...listed.limit, input: 900 },
      cost: { input: 7, output: 8, cache_write: 9, cache_write_1h: 14 },
    });
  });

  test('the parser of the fact list rejects an unknown field, and a model that is listed twice', () => {
    expect(() => factsOf(fact({ colour: 'red' }))).toThrow('colour');
    expect(() => factsOf(fact({}), fact({}))).toThrow('openai/m is listed twice');
  });

  test('the newest list takes precedence, regardless of the order of the lists', () => {
    const older = overlayOfFacts(factsOf(fact({ prices })), '2026-10-01');
    const newer = overlayOfPackage(packageOf(packaged('m', { input: 3, output: 4 })), '2026-11-10');
    for (const overlays of [
      [older, newer],
      [newer, older],
    ]) {
      const merged = mergeLists(base({ m: listed }), overlays);
      expect(merged.modelsOf('openai')?.get('m')?.['cost']).toMatchObject({ input: 3, output: 4 });
      expect(merged.sourcesOf('openai', 'm')).toEqual(['pi-ai', 'facts', 'models.dev']);
    }
  });
});

describe('a stored copy of models.dev', () => {
  test('a stored copy of models.dev has only the gateway’s providers, one model per line, without unused fields', () => {
    const text = trimList(
      {
        openai: { models: { m: { ...listed, id: 'm', description: 'long', colour: 'red' } } },
        unknown: { models: { x: listed } },
      },
      { base_models: { 'openai/m': { benchmarks: [] } } },
      '2026-11-30',
    );
    expect(JSON.parse(text)).toEqual({
      takenOn: '2026-11-30',
      base_models: { 'openai/m': { benchmarks: [] } },
      providers: { openai: { models: { m: { ...listed, colour: 'red' } } } },
    });
    expect(text.split('\n').filter((line) => line.includes('"name"'))).toHaveLength(1);
  });
});

describe('a stored copy of pi-ai', () => {
  test('a stored copy of pi-ai has the chat models of the package, one per line, without unused fields', () => {
    const other = { type: 'classifier', id: 'c' };
    const content = {
      openai: { responses: { 'chat:m': { ...packaged('m', { input: 3 }), baseUrl: 'https://x' }, other } },
    };
    const { modelsOf } = parsePackage(content);
    const text = trimPackage({ version: '1.5.2', takenOn: '2026-11-10', modelsOf });
    expect(JSON.parse(text)).toEqual({
      ...{ version: '1.5.2', takenOn: '2026-11-10' },
      providers: { openai: { m: { ...packaged('m', { input: 3 }), type: undefined } } },
    });
    expect(text).toContain('\n"m": {');
    expect(parsePackageList(JSON.parse(text)).modelsOf('openai')).toEqual(modelsOf('openai'));
  });
});

describe('models that were removed from every list', () => {
  const record = {
    ...{ provider: 'openai', modelId: 'old', formats: ['chat-completions'] },
    ...{ contextWindow: null, maxOutputTokens: null, prices: { input: 1, output: 2 } },
    capabilities: {
      tools: true,
      images: null,
      documents: null,
      jsonMode: null,
      streaming: true,
      thinking: null,
    },
    ...{ cache: null, releasedAt: null, sources: ['models.dev'] },
  };

  test('models that were removed from every list keep their last known facts as deprecated models', () => {
    const dropped = listDropped([record, { ...record, modelId: 'kept' }], [{ ...record, modelId: 'kept' }]);
    expect(dropped).toEqual([{ ...record, deprecated: true, sources: ['dropped'] }]);
    expect(parseDropped(renderDropped(dropped))).toEqual(dropped);
  });

  test('removed models do not return to the catalogue if a rule of the catalogue excludes them', () => {
    expect(listDropped([{ ...record, modelId: 'gpt-realtime-9' }], [])).toEqual([]);
  });
});
