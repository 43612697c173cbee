import type { ModelRecordInput } from './catalog-file.ts';
import { createCatalog, loadCatalog, type CatalogModel } from './model-catalog.ts';
import {
  addsToolsOn,
  bindsReasoning,
  cachePrices,
  defersNatively,
  takesToolsOn,
  thinksByDefault,
} from './model-facts.ts';

const now = Date.parse('2026-11-23T12:00:00Z');
const catalog = loadCatalog();

function find(id: string): CatalogModel {
  const [provider = '', ...rest] = id.split('/');
  const model = catalog.find(provider, rest.join('/'));
  if (model === undefined) throw new Error(`${id} is not in the catalogue`);
  return model;
}

function modelOf(change: Partial<ModelRecordInput>): CatalogModel {
  const record: ModelRecordInput = {
    provider: 'p',
    modelId: 'm',
    formats: ['messages'],
    contextWindow: null,
    maxOutputTokens: null,
    prices: { input: 10, output: 50 },
    capabilities: {
      tools: true,
      images: null,
      documents: null,
      jsonMode: null,
      streaming: true,
      thinking: true,
    },
    cache: { kind: 'automatic', minTokens: null, ttlSeconds: null },
    releasedAt: null,
    sources: ['s'],
    ...change,
  };
  const sources = { s: { title: 's', licence: 'MIT', takenOn: '2026-11' } };
  const [model] = createCatalog({ sources, models: [record] }).models;
  if (model === undefined) throw new Error('the catalogue is empty');
  return model;
}

describe('bindsReasoning', () => {
  const effectOf = (id: string, accountCreatedOn?: string) =>
    bindsReasoning(find(id), id, accountCreatedOn).effect;

  test.each([
    'claude-fable-5-2',
    'claude-fable-5-1',
    'claude-mythos-5-1',
    'claude-mythos-5-2',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
  ])('%s rejects reasoning behind an edited prefix', (id) => {
    expect(effectOf(`anthropic/${id}`)).toBe('rejects');
  });

  test.each([
    'anthropic/claude-opus-5',
    'anthropic/claude-sonnet-5',
    'anthropic/claude-sonnet-4-6',
    'anthropic/claude-haiku-4-5',
    'openai/gpt-6.1-sol',
    'openai/gpt-5.6-terra',
    'openai/gpt-4o',
    'google/gemini-4-argon',
    'deepseek/deepseek-flash',
  ])('%s does not bind', (id) => {
    expect(effectOf(id)).toBe('none');
  });

  test('GPT-6.2 drops reasoning', () => {
    expect(effectOf('openai/gpt-6.2-astra')).toBe('drops');
    expect(effectOf('openai/gpt-6.2-sol')).toBe('drops');
  });

  test('hosts of a Claude model also bind reasoning, with less certainty', () => {
    expect(effectOf('hosted/us.anthropic.claude-opus-5-5')).toBe('rejects');
    expect(find('hosted/us.anthropic.claude-opus-5-5').evidence?.binding?.confidence).toBe('second_hand');
  });

  test('accounts from before 2026-08-31 are exempt only if their creation date is known, and not on every model', () => {
    expect(effectOf('anthropic/claude-opus-5-5', '2026-08-30')).toBe('none');
    expect(effectOf('anthropic/claude-opus-5-5', '2026-08-31')).toBe('rejects');
    expect(effectOf('anthropic/claude-opus-5-5')).toBe('rejects');
    expect(effectOf('anthropic/claude-fable-5-2', '2020-01-01')).toBe('rejects');
  });

  test('only Sonnet and Haiku 5.5 bind reasoning to the account that produced it', () => {
    const bound = catalog
      .modelsOf('anthropic')
      .filter((model) => bindsReasoning(model, model.modelId).isAccountBound);
    expect(bound.map(({ modelId }) => modelId)).toEqual(['claude-haiku-5-5', 'claude-sonnet-5-5']);
  });

  test('an id that is not in the catalogue is treated as the newest model of its family', () => {
    const unlisted = (id: string) => bindsReasoning(undefined, id).effect;
    expect(unlisted('claude-opus-6')).toBe('rejects');
    expect(unlisted('global.anthropic.claude-opus-9-v1:0')).toBe('rejects');
    expect(unlisted('gpt-6.3-sol')).toBe('drops');
    expect(unlisted('gpt-10')).toBe('drops');
    expect(unlisted('gpt-4o-2031-01-01')).toBe('unknown');
    expect(unlisted('arn:aws:bedrock:eu-west-1:123:application-inference-profile/abc')).toBe('unknown');
  });
});

describe('thinksByDefault', () => {
  test('is true for models that reason by default, and if the default is unknown', () => {
    expect(thinksByDefault(find('anthropic/claude-opus-5-5'))).toBe(true);
    expect(thinksByDefault(find('openai/gpt-6.2-sol'))).toBe(true);
    expect(thinksByDefault(find('anthropic/claude-opus-4-8'))).toBe(false);
    expect(thinksByDefault(find('openai/gpt-4o'))).toBe(false);
    const { capabilities } = modelOf({});
    expect(thinksByDefault(modelOf({}))).toBe(true);
    expect(thinksByDefault(modelOf({ capabilities: { ...capabilities, thinking: null } }))).toBe(true);
    expect(thinksByDefault(modelOf({ capabilities: { ...capabilities, thinking: false } }))).toBe(false);
  });
});

describe('takesToolsOn', () => {
  test('chat-completions takes tools depending on the effort that the request sets', () => {
    const chat = (id: string, effort?: string) =>
      takesToolsOn(find(`openai/${id}`), 'chat-completions', effort);
    expect([chat('gpt-4o'), chat('gpt-5', 'high')]).toEqual([true, true]);
    expect([chat('gpt-5.5'), chat('gpt-5.5', 'none'), chat('gpt-5.5', 'low')]).toEqual([true, true, false]);
    expect([chat('gpt-5.6-sol'), chat('gpt-5.6-sol', 'none'), chat('gpt-5.6-sol', 'low')]).toEqual([
      false,
      true,
      false,
    ]);
    expect([chat('gpt-6.2-sol'), chat('gpt-6.2-sol', 'none'), chat('gpt-6-astra')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('Responses takes the tools of every GPT from 5.4 on', () => {
    for (const id of ['gpt-5.5', 'gpt-5.6-sol', 'gpt-6-luna', 'gpt-6.2-astra'])
      expect([id, takesToolsOn(find(`openai/${id}`), 'responses')]).toEqual([id, true]);
  });

  test('without a source, takes tools only on formats of the model, and only if the model can call tools', () => {
    const { capabilities } = modelOf({});
    expect(takesToolsOn(modelOf({}), 'messages')).toBe(true);
    expect(takesToolsOn(modelOf({}), 'responses')).toBe(false);
    const unable = modelOf({ capabilities: { ...capabilities, tools: false } });
    expect(takesToolsOn(unable, 'messages')).toBe(false);
  });
});

describe('deferral and later tools', () => {
  test('Claude from 4.5 on defers tools on the Messages API, never on Converse', () => {
    for (const id of ['claude-fable-5-2', 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-4-5'])
      expect([id, defersNatively(find(`anthropic/${id}`), 'messages')]).toEqual([id, true]);
    expect(defersNatively(find('hosted/us.anthropic.claude-opus-5-5'), 'converse')).toBe(false);
    expect(defersNatively(find('google/gemini-4-argon'), 'gemini')).toBe(false);
  });

  test('GPT from 5.6 on defers tools only on Responses', () => {
    expect(defersNatively(find('openai/gpt-6.2-sol'), 'responses')).toBe(true);
    expect(defersNatively(find('openai/gpt-6.2-sol'), 'chat-completions')).toBe(false);
    expect(defersNatively(find('openai/gpt-5.5'), 'responses')).toBe(false);
  });

  test('ignores second-hand facts, although the catalogue contains them', () => {
    const haiku = find('anthropic/claude-haiku-5-5');
    expect(haiku.addsToolsOn).toEqual(['messages']);
    expect(haiku.evidence?.addsToolsOn?.confidence).toBe('second_hand');
    expect(addsToolsOn(haiku, 'messages')).toBe(false);
    expect(addsToolsOn(find('anthropic/claude-opus-5-5'), 'messages')).toBe(true);
    expect(addsToolsOn(find('anthropic/claude-sonnet-5'), 'messages')).toBe(false);
    const assumed = modelOf({
      defersOn: ['messages'],
      evidence: { defersOn: { source: 's', confidence: 'assumed' } },
    });
    expect(defersNatively(assumed, 'messages')).toBe(false);
  });
});

describe('the cache prices', () => {
  test('have a read price and a write price for each cache lifetime that the provider offers', () => {
    expect(cachePrices(find('anthropic/claude-opus-5-5'), now)).toEqual({
      ...{ input: 4, read: 0.2, write: 5, write1h: 8, write12h: 8 },
      minTokens: 512,
    });
    expect(cachePrices(find('anthropic/claude-fable-5-2'), now)).toMatchObject({ input: 8, read: 0.2 });
    expect(cachePrices(find('openai/gpt-6.2-astra'), now)).toMatchObject({
      ...{ input: 8, read: 0.4, write: 10 },
      minTokens: 1024,
    });
  });

  test('use the lowest price for unknown reads, and the highest price for unknown long writes', () => {
    expect(cachePrices(modelOf({}), now)).toEqual({
      ...{ input: 10, read: 0.25, write: 10, write1h: 20, write12h: 20 },
      minTokens: 512,
    });
    expect(find('openai/gpt-6.2-sol').prices?.cacheRead).toBeUndefined();
    expect(cachePrices(find('openai/gpt-6.2-sol'), now)?.read).toBeCloseTo(0.05, 12);
  });

  test('change with the time of the request', () => {
    const argon = find('google/gemini-4-argon');
    expect(cachePrices(argon, Date.parse('2026-11-30T23:59:59Z'))).toMatchObject({ input: 2, read: 0.1 });
    expect(cachePrices(argon, Date.parse('2026-12-01T00:00:00Z'))).toMatchObject({ input: 4, read: 0.2 });
    const deepseek = find('deepseek/deepseek-flash');
    // In Beijing, Monday 10:00 is in the peak period, and Monday 12:00 is not.
    expect(cachePrices(deepseek, Date.parse('2026-11-23T10:00:00+08:00'))).toMatchObject({
      input: 0.3,
      read: 0.006,
    });
    expect(cachePrices(deepseek, Date.parse('2026-11-23T12:00:00+08:00'))).toMatchObject({
      input: 0.15,
      read: 0.003,
    });
    expect(cachePrices(deepseek, Date.parse('2026-11-22T10:00:00+08:00'))).toMatchObject({ input: 0.15 });
  });

  test('are null without a cache or without prices', () => {
    expect(cachePrices(modelOf({ cache: null }), now)).toBeNull();
    expect(
      cachePrices(modelOf({ cache: { kind: 'none', minTokens: null, ttlSeconds: null } }), now),
    ).toBeNull();
    expect(cachePrices(modelOf({ prices: null }), now)).toBeNull();
  });
});
