import {
  bindsReasoning,
  loadCatalog,
  pricesAt,
  thinksByDefault,
  type CatalogModel,
} from '@gateway/model-catalog';
import type { ModelFacts } from './fact-list.ts';
import { readLists } from './read-lists.ts';
import { explainAbsence, explainOtherApi } from './reasons.ts';

/**
 * The point in time at which the test compares the facts with the catalogue. The clock is set to the day on
 * which the facts were collected. The clock is set to a weekday hour in DeepSeek's peak period.
 */
const at = Date.parse('2026-11-23T02:00:00Z');
/** A time on the test's day that is outside DeepSeek's peak hours. */
const offPeak = Date.parse('2026-11-23T12:00:00Z');

describe('the facts of the list', () => {
  const catalog = loadCatalog();
  const facts = readLists().facts.all;
  const present = facts.flatMap((fact) => {
    const model = catalog.find(fact.provider, fact.model);
    return model?.kind === 'chat' ? [{ fact, model }] : [];
  });

  test('the fact list names only models that the catalogue contains, or omits for a stated reason', () => {
    const missing = facts.filter(({ provider, model }) => catalog.find(provider, model)?.kind !== 'chat');
    const unexplained = missing.filter(
      ({ provider, model }) => explainAbsence(provider, model) === undefined,
    );
    expect(unexplained.map(({ provider, model }) => `${provider}/${model}`)).toEqual([]);
    expect(present.length).toBeGreaterThan(490);
  });

  test.each(Object.entries(comparisons()))(
    '%s: the catalogue contains each stated value',
    (_fact, valuesOf) => {
      const differing = present.flatMap(({ fact, model }) => {
        const [stated, own] = valuesOf(fact, model);
        const isEqual = stated == null || JSON.stringify(stated) === JSON.stringify(own);
        return isEqual ? [] : [{ model: `${fact.provider}/${fact.model}`, stated, own }];
      });
      expect(differing).toEqual([]);
    },
  );
});

type Compare = (fact: ModelFacts, model: CatalogModel) => readonly [stated: unknown, own: unknown];

/**
 * For each kind of fact, returns the values in the fact list and in the catalogue. In the fact list, null
 * stands for an unknown value.
 */
function comparisons(): Record<string, Compare> {
  return {
    prices: ({ prices, notes }, model) => {
      const isOffPeak = notes?.some((note) => note.endsWith('off-peak')) ?? false;
      const own = model.prices && pricesAt(model.prices, isOffPeak ? offPeak : at);
      return [prices && statedRates(prices), prices && own && pick(own, statedRates(prices))];
    },
    tiers: ({ prices }, { prices: own }) => [
      prices?.tiers?.map((tier) => [
        tier.above_input_tokens,
        tier.input,
        tier.output,
        tier.cache_read ?? undefined,
      ]),
      own?.tiers?.map((tier) => [tier.aboveInputTokens, tier.input, tier.output, tier.cacheRead]),
    ],
    'dated prices': ({ price_changes: changes = [] }, { prices }) => {
      const dated = changes.filter(({ from }) => from !== null);
      const own = dated.map(({ from }) => {
        const then = prices && pricesAt(prices, Date.parse(from ?? ''));
        return [from, then?.input, then?.output];
      });
      return [dated.map(({ from, input, output }) => [from, input, output]), own];
    },
    'context window': ({ context }, { contextWindow }) => [context, contextWindow],
    // An input limit that equals the context window has no effect.
    'input limit': ({ max_input, context }, model) => [
      max_input === context ? null : max_input,
      model.maxInputTokens,
    ],
    'output limit': ({ max_output }, { maxOutputTokens }) => [max_output, maxOutputTokens],
    'release date': ({ release_date }, { releasedAt }) => [release_date, releasedAt],
    apis: ({ provider, model: modelId, apis }, { formats }) => [
      explainOtherApi(provider, modelId) === undefined && apis ? formats : null,
      formats.filter((format) => apis?.includes(format)),
    ],
    tools: ({ tools }, { capabilities }) => [tools, capabilities.tools],
    'tools on chat-completions': ({ tools_on_chat_completions: stated }, { toolsOn }) => [
      stated && chatConditions[stated],
      toolsOn?.['chat-completions'],
    ],
    reasoning: ({ thinks }, { capabilities }) => [thinks, capabilities.thinking],
    'reasoning by default': ({ thinks_by_default }, model) => [thinks_by_default, thinksByDefault(model)],
    'reasoning off': ({ thinking_can_be_off: stated }, { thinkingOff }) => [
      typeof stated === 'string' ? 'between_tools' : stated,
      thinkingOff,
    ],
    binding: ({ binds_thinking_to_prefix }, model) => [
      binds_thinking_to_prefix,
      bindsReasoning(model, model.modelId).effect === 'rejects',
    ],
    deferral: ({ native_tool_deferral: stated }, { defersOn = [] }) => {
      const api = stated?.split(':')[0] ?? '';
      return [stated && true, defersOn.some((each) => each === api)];
    },
    'later tools': ({ native_tool_deferral: stated }, { addsToolsOn = [] }) => {
      const api = stated?.split(':')[0] ?? '';
      return [
        stated && /tool_addition|additional_tools/.test(stated),
        addsToolsOn.some((each) => each === api),
      ];
    },
    'cacheable tokens': ({ min_cacheable_tokens }, { cache }) => [min_cacheable_tokens, cache?.minTokens],
    deprecation: ({ deprecated }, model) => [deprecated, model.deprecated],
    retirement: ({ retires }, { retiredAt }) => [retires, retiredAt],
    'no retirement before': ({ retires_not_before }, model) => [retires_not_before, model.retiresNotBefore],
    aliases: ({ provider, aliases }) => [
      aliases?.map(() => true),
      aliases?.map((alias) => loadCatalog().find(provider, alias) !== undefined),
    ],
  };
}

const chatConditions: Readonly<Record<string, string>> = {
  yes: 'yes',
  no: 'no',
  'only with reasoning_effort "none" sent explicitly': 'effort_none',
  'only without reasoning_effort, or with "none"': 'effort_unset',
};

function statedRates(prices: NonNullable<ModelFacts['prices']>): Record<string, number> {
  const { input, output, cache_read, cache_write, cache_write_5m, cache_write_1h } = prices;
  const stated = {
    ...{ input, output, cacheRead: cache_read, cacheWrite: cache_write_5m ?? cache_write },
    cacheWrite1h: cache_write_1h,
  };
  return Object.fromEntries(
    Object.entries(stated).filter((entry): entry is [string, number] => entry[1] != null),
  );
}

function pick(own: object, stated: Record<string, number>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(own).filter(([field]) => field in stated));
}
