import type { CatalogModel } from '@gateway/model-catalog';
import fc from 'fast-check';
import { chooseModel } from './choose-model.ts';
import type { Needs, Pin, RoutingChoice, RoutingQuestion } from './question.ts';

const plainNeeds: Needs = {
  tools: false,
  images: false,
  documents: false,
  jsonMode: false,
  streaming: false,
  thinking: false,
  inputTokens: 1_000,
  outputTokensMax: null,
  marksCache: false,
};

/** A model of the provider `p` with all capabilities, unless `change` overrides the capabilities. */
function modelOf(modelId: string, input: number, change: Partial<CatalogModel> = {}): CatalogModel {
  return {
    provider: 'p',
    modelId,
    aliases: [],
    kind: 'chat',
    formats: ['chat-completions'],
    contextWindow: 100_000,
    maxOutputTokens: 10_000,
    prices: { input, output: input * 4, cacheRead: input / 10 },
    capabilities: {
      tools: true,
      images: true,
      documents: true,
      jsonMode: true,
      streaming: true,
      thinking: true,
    },
    cache: {
      kind: 'automatic',
      minTokens: 1024,
      ttlSeconds: 300,
      readMultiplier: 0.1,
      writeMultiplier: null,
    },
    quality: [],
    deprecated: false,
    releasedAt: null,
    retiredAt: null,
    sources: ['s'],
    ...change,
  };
}

function listOf(...given: readonly (readonly [CatalogModel, number])[]): RoutingQuestion['models'] {
  return given.map(([model, quality]) => ({ model, id: `${model.provider}/${model.modelId}`, quality }));
}

const three = listOf([modelOf('small', 0.1), 0.2], [modelOf('middle', 1), 0.6], [modelOf('large', 5), 0.9]);

function choose(change: Partial<RoutingQuestion> = {}): RoutingChoice {
  return chooseModel({
    mode: 'auto',
    models: three,
    needs: plainNeeds,
    policy: { allowedProviders: null, turnedOff: new Set(), maxCostUsdPerMtok: null },
    complexity: 0.1,
    thresholds: { medium: 0.2, high: 0.3 },
    latency: () => undefined,
    recall: () => undefined,
    pin: null,
    chance: 1,
    now: Date.parse('2026-11-20'),
    ...change,
  });
}

const firstOf = (choice: RoutingChoice) => choice.candidates[0]?.id;
const pinOf = (id: string, change: Partial<Pin> = {}): Pin => ({
  id,
  level: 'low',
  cachedTokens: 0,
  turns: 3,
  isBound: false,
  ...change,
});

describe('the mode', () => {
  it.each([
    [0.1, 'p/small', 'complexity_low'],
    [0.25, 'p/middle', 'complexity_medium'],
    [0.4, 'p/large', 'complexity_high'],
  ])('auto at complexity %d chooses %s', (complexity, id, reason) => {
    expect(choose({ complexity })).toMatchObject({ reason, candidates: [{ id }, {}, {}] });
  });

  it('cheap includes the savings from cached tokens', () => {
    const models = listOf([modelOf('a', 1), 0.5], [modelOf('b', 0.9), 0.5]);
    const needs = { ...plainNeeds, inputTokens: 50_000 };
    expect(firstOf(choose({ mode: 'cheap', models, needs }))).toBe('p/b');
    const pin = pinOf('p/a', { cachedTokens: 49_000 });
    expect(choose({ mode: 'cheap', models, needs, pin })).toMatchObject({
      reason: 'session',
      candidates: [{ id: 'p/a', costUsd: expect.closeTo(0.0075, 3) as number }, {}],
    });
  });

  it('fast chooses the fastest model, or an unknown model for a small share of requests', () => {
    const latency = (id: string) =>
      id === 'p/large' ? { firstTokenMs: 50, msPerToken: 1, weight: 50 } : undefined;
    expect(choose({ mode: 'fast', latency })).toMatchObject({
      reason: 'fastest',
      candidates: [{ id: 'p/large' }, {}, {}],
    });
    const explored = choose({ mode: 'fast', latency, chance: 0.01 });
    expect(explored.reason).toBe('explored');
    expect(firstOf(explored)).not.toBe('p/large');
  });

  it('capable chooses the best model, and also considers observed recall for requests with tools', () => {
    const close = listOf([modelOf('one', 1), 0.9], [modelOf('other', 1), 0.89]);
    const recall = (id: string) =>
      id === 'p/one' ? { judged: 100, recalled: 70 } : { judged: 100, recalled: 99 };
    expect(firstOf(choose({ mode: 'capable', models: close, recall }))).toBe('p/one');
    const needs = { ...plainNeeds, tools: true };
    expect(firstOf(choose({ mode: 'capable', models: close, needs, recall }))).toBe('p/other');
  });
});

describe('a conversation', () => {
  it('stays on its model, and changes it when the savings exceed the cost of the lost cache', () => {
    const models = listOf([modelOf('a', 1), 0.5], [modelOf('b', 0.95), 0.5], [modelOf('c', 0.01), 0.5]);
    const needs = { ...plainNeeds, inputTokens: 50_000 };
    const pin = pinOf('p/a', { cachedTokens: 49_000 });
    expect(choose({ models, needs, pin }).reason).toBe('session_moved');
    expect(choose({ models: models.slice(0, 2), needs, pin }).reason).toBe('session');
  });

  it('keeps the complexity score from its first turn', () => {
    const pin = pinOf('p/large', { level: 'high' });
    expect(choose({ pin, complexity: 0.1 })).toMatchObject({ level: 'high', reason: 'session' });
  });

  it('never changes its model, even for a fallback, while the transcript contains bound reasoning', () => {
    const bound = pinOf('p/large', { isBound: true });
    const choice = choose({ mode: 'cheap', pin: bound });
    expect(choice).toMatchObject({ reason: 'bound_thinking', candidates: [{ id: 'p/large' }] });
    expect(choice.candidates).toHaveLength(1);
    const policy = { allowedProviders: null, turnedOff: new Set(['p/large']), maxCostUsdPerMtok: null };
    expect(choose({ mode: 'cheap', pin: bound, policy })).toMatchObject({ candidates: [], reason: null });
  });
});

const needNames = ['tools', 'images', 'documents', 'jsonMode', 'streaming', 'thinking'] as const;
const anyModel = fc.record({
  provider: fc.constantFrom('p', 'q', 'sandbox'),
  input: fc.double({ min: 0.01, max: 50, noNaN: true }),
  quality: fc.double({ min: 0, max: 1, noNaN: true }),
  window: fc.constantFrom(null, 4_000, 100_000, 1_000_000),
  can: fc.record(Object.fromEntries(needNames.map((name) => [name, fc.constantFrom(true, false, null)]))),
  deprecated: fc.boolean(),
});
const anyModels = fc.array(anyModel, { minLength: 1, maxLength: 12 }).map((all) =>
  listOf(
    ...all.map(({ provider, input, quality, window, can, deprecated }, at) => {
      const capabilities = can as CatalogModel['capabilities'];
      const change = { provider, contextWindow: window, capabilities, deprecated };
      return [modelOf(`m${at}`, input, change), quality] as const;
    }),
  ),
);
const anyNeeds = fc
  .record({
    ...Object.fromEntries(needNames.map((name) => [name, fc.boolean()])),
    inputTokens: fc.integer({ min: 1, max: 200_000 }),
  })
  .map((needs): Needs => ({ ...plainNeeds, ...needs }));
const anyMode = fc.constantFrom('auto', 'cheap', 'fast', 'capable');

/** Whether a model has all required capabilities according to the catalogue. */
function canServe({ capabilities, contextWindow }: CatalogModel, needs: Needs): boolean {
  const has = needNames.every(
    (name) =>
      !needs[name] ||
      capabilities[name] === true ||
      (name === 'jsonMode' && capabilities[name] === null) ||
      (name === 'streaming' && capabilities[name] === null),
  );
  return has && needs.inputTokens <= (contextWindow ?? 8_192);
}

describe('for any request', () => {
  it('every candidate meets all needs, and every excluded model is listed with a rule', () => {
    fc.assert(
      fc.property(anyModels, anyNeeds, anyMode, (models, needs, mode) => {
        const { candidates, excluded } = choose({ models, needs, mode });
        for (const { model } of candidates) expect(canServe(model, needs)).toBe(true);
        expect(candidates.length + excluded.length).toBe(models.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('adding needs never selects a model with fewer capabilities', () => {
    fc.assert(
      fc.property(anyModels, anyNeeds, anyNeeds, anyMode, (models, needs, more, mode) => {
        const both = { ...needs, inputTokens: Math.max(needs.inputTokens, more.inputTokens) };
        for (const name of needNames) both[name] = needs[name] || more[name];
        const [first] = choose({ models, needs: both, mode }).candidates;
        if (first !== undefined) expect(canServe(first.model, needs)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('higher complexity never selects a worse model', () => {
    fc.assert(
      fc.property(
        anyModels,
        anyNeeds,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (models, needs, complexity) => {
          const quality = (at: number) =>
            choose({ models, needs, complexity: at }).candidates[0]?.quality ?? 0;
          const [simple, complex] = [quality(complexity * 0.7), quality(complexity)];
          expect(complex).toBeGreaterThanOrEqual(simple);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('the choice does not depend on model order', () => {
    fc.assert(
      fc.property(anyModels, anyNeeds, anyMode, (models, needs, mode) => {
        const ids = (choice: RoutingChoice) => choice.candidates.map(({ id }) => id);
        const once = ids(choose({ models, needs, mode }));
        expect(ids(choose({ models, needs, mode }))).toEqual(once);
        expect(ids(choose({ models: models.toReversed(), needs, mode }))).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });
});

describe('rules', () => {
  const ruleOf = (change: Partial<RoutingQuestion>, model: CatalogModel) =>
    choose({ models: listOf([model, 0.5]), ...change }).excluded[0]?.rule;
  const policy = { allowedProviders: null, turnedOff: new Set<string>(), maxCostUsdPerMtok: null };

  it.each([
    ['provider_not_allowed', { policy: { ...policy, allowedProviders: ['q'] } }, {}],
    ['turned_off', { policy: { ...policy, turnedOff: new Set(['p/m']) } }, {}],
    ['above_max_cost', { policy: { ...policy, maxCostUsdPerMtok: 3 } }, {}],
    ['price_unknown', { policy: { ...policy, maxCostUsdPerMtok: 3 } }, { prices: null }],
    ['retired', {}, { retiredAt: '2026-11-20' }],
    ['deprecated', {}, { deprecated: true }],
    ['other_region', {}, { provider: 'hosted', modelId: 'eu.anthropic.claude' }],
    ['responses_only', {}, { formats: ['responses'] as CatalogModel['formats'] }],
    ['context_too_short', { needs: { ...plainNeeds, inputTokens: 100_001 } }, {}],
    ['context_too_short', { needs: { ...plainNeeds, inputTokens: 60_001 } }, { maxInputTokens: 60_000 }],
    ['output_too_short', { needs: { ...plainNeeds, outputTokensMax: 10_001 } }, {}],
  ] as const)('%s', (rule, change, model) => {
    expect(ruleOf(change, modelOf('m', 1, model))).toBe(rule);
  });

  it('a price that rises on a day applies from that day on', () => {
    const prices = { input: 1, output: 1, periods: [{ from: '2026-12-01', input: 4, output: 4 }] };
    const [rising, steady] = [modelOf('rising', 1, { prices }), modelOf('steady', 2)];
    const models = listOf([rising, 0.5], [steady, 0.5]);
    const on = (day: string) => choose({ mode: 'cheap', models, now: Date.parse(day) });
    expect([firstOf(on('2026-11-30')), firstOf(on('2026-12-01'))]).toEqual(['p/rising', 'p/steady']);
    const limited = { ...policy, maxCostUsdPerMtok: 3 };
    expect(choose({ models, policy: limited, now: Date.parse('2026-12-01') }).excluded).toContainEqual({
      id: 'p/rising',
      rule: 'above_max_cost',
    });
  });

  it('the sandbox is chosen only by name or when no other model exists', () => {
    const sandbox = modelOf('s', 0, { provider: 'sandbox' });
    const models = listOf([sandbox, 0.5], [modelOf('m', 1), 0.5]);
    expect(firstOf(choose({ models: models.slice(0, 1) }))).toBe('sandbox/s');
    expect(choose({ models }).excluded).toEqual([{ id: 'sandbox/s', rule: 'sandbox' }]);
    const named = { ...policy, allowedProviders: ['sandbox'] };
    expect(firstOf(choose({ models, policy: named }))).toBe('sandbox/s');
  });
});
