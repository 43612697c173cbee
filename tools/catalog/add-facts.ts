import type { ModelRecordInput } from '@gateway/model-catalog';
import { findClaudeFacts } from './families/claude.ts';
import type { FamilyFacts } from './families/family.ts';
import { findGeminiFacts } from './families/gemini.ts';
import { findGptFacts } from './families/gpt.ts';
import type { ModelFacts } from './fact-list.ts';
import { completePrices } from './price-times.ts';

type ToolsOn = NonNullable<ModelRecordInput['toolsOn']>;

/** Maps each value of the field `tools_on_chat_completions` in the fact list to a value of the catalogue. */
const chatConditions: Readonly<Record<string, NonNullable<ToolsOn['chat-completions']>>> = {
  yes: 'yes',
  no: 'no',
  'only with reasoning_effort "none" sent explicitly': 'effort_none',
  'only without reasoning_effort, or with "none"': 'effort_unset',
};

/**
 * The APIs through which a model may accept tools, by their names in the fact list. Chat-completions is not
 * included, because it has a separate field in the fact list.
 */
const toolApis = ['responses', 'messages', 'converse', 'gemini', 'cohere'] as const;

/**
 * Adds the facts that the model lists do not contain. The added facts concern the APIs that accept tools,
 * default reasoning, bound reasoning, deferral, and cache prices. A value from the fact list takes precedence
 * over a value from the model's family.
 * @param fact the model's line in the fact list
 */
export function addFacts(record: ModelRecordInput, fact: ModelFacts | undefined): ModelRecordInput {
  if (record.kind !== undefined && record.kind !== 'chat') return record;
  const family =
    record.capabilities.thinking === false
      ? undefined
      : (findClaudeFacts(record.provider, record.modelId, record.releasedAt) ??
        findGptFacts(record.provider, record.modelId) ??
        findGeminiFacts(record.provider, record.modelId));
  const toolsOn = { ...(fact?.provider === record.provider && mapToolsOn(fact)), ...family?.toolsOn };
  return withoutUndefined({
    ...record,
    prices: record.prices && completePrices(record.prices, record.provider, fact, family),
    cache: completeCache(record, fact, family),
    toolsOn: Object.keys(toolsOn).length > 0 ? toolsOn : undefined,
    thinksByDefault: fact?.thinks_by_default ?? family?.thinksByDefault,
    thinkingOff: mapThinkingOff(fact) ?? family?.thinkingOff,
    binding: family?.binding,
    defersOn: family?.defersOn,
    addsToolsOn: family?.addsToolsOn,
    evidence: family && Object.keys(family.evidence).length > 0 ? family.evidence : undefined,
    retiresNotBefore: fact?.retires_not_before ?? undefined,
    sources: [...new Set([...record.sources, ...(family?.sources ?? [])])],
  });
}

function mapToolsOn(fact: ModelFacts): ToolsOn {
  if (fact.tools === false) return {};
  const condition = fact.tools_on_chat_completions;
  if (condition !== null && chatConditions[condition] === undefined)
    throw new Error(`${fact.model}: tools_on_chat_completions has an unknown value "${condition}"`);
  return {
    ...(condition !== null && { 'chat-completions': chatConditions[condition] }),
    ...Object.fromEntries(
      toolApis
        .filter((api) => fact.tools === true && fact.apis?.includes(api))
        .map((api) => [api, 'yes' as const]),
    ),
  };
}

function mapThinkingOff(fact: ModelFacts | undefined): boolean | 'between_tools' | undefined {
  if (fact?.thinking_can_be_off == null) return undefined;
  return typeof fact.thinking_can_be_off === 'string' ? 'between_tools' : fact.thinking_can_be_off;
}

function completeCache(
  { cache, prices }: ModelRecordInput,
  fact: ModelFacts | undefined,
  family: FamilyFacts | undefined,
): ModelRecordInput['cache'] {
  const rule =
    cache ??
    (prices !== null && family?.cachesAlways
      ? { kind: 'automatic' as const, minTokens: null, ttlSeconds: null }
      : null);
  if (rule === null) return null;
  return {
    ...rule,
    minTokens: fact?.min_cacheable_tokens ?? family?.cacheMinTokens ?? rule.minTokens,
    ttlSeconds: family?.cacheTtlSeconds ?? rule.ttlSeconds,
  };
}

function withoutUndefined<Fields extends object>(fields: {
  [Field in keyof Fields]: Fields[Field] | undefined;
}): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
