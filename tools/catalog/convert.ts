import type { ModelKind, ModelRecordInput } from '@gateway/model-catalog';
import { addFacts } from './add-facts.ts';
import { comparePrices, listFactDisputes } from './disputes.ts';
import type { FactList, ModelFacts } from './fact-list.ts';
import type { GenaiPrices } from './genai-prices.ts';
import type { MergedList } from './merge-lists.ts';
import { parseListedModel, unusedFields, type ListedCost, type ListedModel } from './models-dev.ts';
import { addNativeSelection } from './native-selection.ts';
import { findQuality } from './quality.ts';
import { exclusions, kindsById, kindsByOutput, responsesOnly, type ProviderRule } from './provider-rules.ts';
import type { UpdateReport } from './report.ts';
import { addRetirement } from './retirements.ts';

type Prices = NonNullable<ModelRecordInput['prices']>;

export interface Lists {
  readonly models: MergedList;
  readonly facts: FactList | undefined;
  readonly genaiPrices: GenaiPrices | undefined;
  /** The date for which prices are compared, as `YYYY-MM-DD`. */
  readonly onDate: string;
}

/** Fields of a model list that this module reads or ignores. All unknown fields are reported. */
const knownFields: Record<'model' | 'cost' | 'limit', ReadonlySet<string>> = {
  model: new Set([
    ...unusedFields,
    ...'name release_date reasoning tool_call structured_output status modalities limit cost provider'.split(
      ' ',
    ),
    ...'reasoning_options benchmarks'.split(' '),
  ]),
  // The catalogue contains only prices of text tokens, so audio prices are ignored.
  cost: new Set(
    (
      'input output cache_read cache_write cache_write_1h reasoning tiers context_over_200k ' +
      'input_audio output_audio'
    ).split(' '),
  ),
  limit: new Set(['context', 'output', 'input']),
};

/** Converts the listed models of one provider into catalogue records, sorted by model id. */
export function convertProvider(rule: ProviderRule, lists: Lists, report: UpdateReport): ModelRecordInput[] {
  const listed = rule.modelsDev === null ? undefined : lists.models.modelsOf(rule.modelsDev);
  if (listed === undefined) {
    report.add('no-source', rule.provider, 'no list has it');
    return [];
  }
  return [...listed]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([modelId, own]) => convertModel(rule, modelId, own, lists, report))
    .filter((record) => record !== undefined);
}

function convertModel(
  rule: ProviderRule,
  modelId: string,
  own: Record<string, unknown>,
  lists: Lists,
  report: UpdateReport,
): ModelRecordInput | undefined {
  const subject = `${rule.provider}/${modelId}`;
  const parsed = parseListedModel(own);
  if (!parsed.success) {
    report.add('unreadable', subject, parsed.error.issues.map((issue) => issue.path.join('.')).join(', '));
    return undefined;
  }
  const model = parsed.data;
  const kind = chooseKind(modelId, model);
  const excluded = findExclusion(rule, modelId, kind, model);
  if (kind === undefined || excluded !== undefined) {
    report.add('excluded', subject, excluded ?? 'has no supported output modality');
    return undefined;
  }
  reportFields(subject, own, report);
  const fact = lists.facts?.find(rule.modelsDev ?? '', modelId);
  const sources = lists.models.sourcesOf(rule.modelsDev ?? '', modelId);
  const record = addSources(subject, report, fact, {
    ...describe(rule, modelId, kind, model, sources.includes('models.dev')),
    ...listQuality(subject, own, { modelId, kind, maker: rule.maker }, lists, report),
    ...convertCosts(rule, subject, modelId, kind, model.cost, report),
    sources: [...sources],
  });
  return addDisputes(rule, record, fact, lists, report);
}

function listQuality(
  subject: string,
  own: Record<string, unknown>,
  { modelId, kind, maker }: { modelId: string; kind: ModelKind; maker: string | undefined },
  { models }: Lists,
  report: UpdateReport,
): Pick<ModelRecordInput, 'quality'> {
  if (kind !== 'chat') return {};
  const quality = findQuality(subject, own, { modelId, maker }, models, report);
  return quality.length > 0 ? { quality } : {};
}

/** Adds facts that the model lists do not contain, and the model's announced retirement date. */
function addSources(
  subject: string,
  report: UpdateReport,
  fact: ModelFacts | undefined,
  listed: ModelRecordInput,
): ModelRecordInput {
  const record = addRetirement(addFacts(listed, fact), fact);
  if (record.evidence?.binding?.confidence === 'assumed')
    report.add('assumed', subject, 'binds its reasoning by assumption: it is newer than the known models');
  if (record.deprecated === true && record.retiredAt === undefined)
    report.add('no-retirement', subject, 'is deprecated, but no source has its retirement date');
  return addNativeSelection(record);
}

function addDisputes(
  { genaiPrices: listId }: ProviderRule,
  record: ModelRecordInput,
  fact: ModelFacts | undefined,
  { genaiPrices, onDate }: Lists,
  report: UpdateReport,
): ModelRecordInput {
  const { provider, modelId } = record;
  const second = listId === null ? undefined : genaiPrices?.pricesOf(listId, modelId, onDate);
  const disputes = [
    ...(second === undefined ? [] : comparePrices(record, second)),
    ...listFactDisputes(provider, modelId, fact),
  ];
  for (const { field, other, source } of disputes)
    report.add('conflict', `${provider}/${modelId}`, `${field} is ${String(other)} in ${source}`);
  return {
    ...record,
    sources:
      second === undefined || record.prices === null ? record.sources : [...record.sources, 'genai-prices'],
    ...(disputes.length > 0 && { disputes }),
  };
}

function chooseKind(modelId: string, model: ListedModel): ModelKind | undefined {
  const byId = kindsById.find((each) => each.modelId.test(modelId));
  if (byId !== undefined) return byId.kind;
  const output = model.modalities?.output ?? ['text'];
  if (output.includes('text')) return 'chat';
  return output.map((modality) => kindsByOutput[modality]).find((kind) => kind !== undefined);
}

function findExclusion(
  rule: ProviderRule,
  modelId: string,
  kind: ModelKind | undefined,
  model: ListedModel,
): string | undefined {
  if (model.provider !== undefined && model.provider.npm !== rule.library)
    return 'needs another address or another format';
  if (kind !== undefined && rule.kinds?.includes(kind) === false)
    return `the address does not serve this kind (${kind})`;
  return exclusions.find(
    (each) => (each.providers?.includes(rule.provider) ?? true) && each.modelId.test(modelId),
  )?.reason;
}

function describe(
  rule: ProviderRule,
  modelId: string,
  kind: ModelKind,
  model: ListedModel,
  namesDocuments: boolean,
): Omit<ModelRecordInput, 'prices' | 'cache' | 'sources'> {
  const takes = (modality: string): boolean | null => model.modalities?.input.includes(modality) ?? null;
  const thinking = model.reasoning ?? null;
  return {
    provider: rule.provider,
    modelId,
    ...(kind !== 'chat' && { kind }),
    formats: kind === 'chat' ? listFormats(rule, modelId) : [],
    contextWindow: model.limit?.context || null,
    ...(model.limit?.input !== undefined &&
      model.limit.input < (model.limit.context ?? Infinity) && { maxInputTokens: model.limit.input }),
    maxOutputTokens: model.limit?.output || null,
    capabilities: {
      tools: model.tool_call ?? null,
      images: takes('image'),
      // Only models.dev records whether a model reads documents.
      documents: takes('pdf') === true || namesDocuments ? takes('pdf') : null,
      jsonMode: model.structured_output ?? null,
      // Streaming is not recorded per model, because all providers support streaming.
      streaming: kind === 'chat' ? true : null,
      thinking,
    },
    ...(model.status === 'deprecated' && { deprecated: true }),
    releasedAt: model.release_date ?? null,
  };
}

function listFormats({ provider, formats }: ProviderRule, modelId: string): ModelRecordInput['formats'] {
  const isResponsesOnly = responsesOnly.providers.includes(provider) && responsesOnly.modelId.test(modelId);
  return [...(isResponsesOnly ? responsesOnly.formats : formats)];
}

function convertCosts(
  rule: ProviderRule,
  subject: string,
  modelId: string,
  kind: ModelKind,
  cost: ListedModel['cost'],
  report: UpdateReport,
): Pick<ModelRecordInput, 'prices' | 'cache'> {
  const prices = convertPrices(subject, cost, report);
  const isCached =
    kind === 'chat' && prices?.cacheRead !== undefined && (rule.cachedModels?.test(modelId) ?? true);
  return { prices, cache: isCached ? rule.cache : null };
}

function convertPrices(subject: string, cost: ListedModel['cost'], report: UpdateReport): Prices | null {
  if (cost === undefined) {
    report.add('missing-price', subject, 'has no prices, so its costs are unknown');
    return null;
  }
  if (cost.input === 0 && cost.output === 0) report.add('zero-price', subject, 'is listed as free');
  if ((cost.cache_read ?? 0) > cost.input) {
    report.add('implausible', subject, 'the cache read price is above the input price and is ignored');
    return convertPrices(subject, { ...cost, cache_read: undefined }, report);
  }
  const tiers = cost.tiers
    ?.toSorted((a, b) => a.tier.size - b.tier.size)
    .map((tier) => ({ aboveInputTokens: tier.tier.size, ...mapRates(tier) }));
  return { ...mapRates(cost), ...(tiers && tiers.length > 0 && { tiers }) };
}

function mapRates(cost: ListedCost): Omit<Prices, 'tiers'> {
  return {
    input: cost.input,
    output: cost.output,
    ...(cost.cache_read !== undefined && { cacheRead: cost.cache_read }),
    ...(cost.cache_write !== undefined && { cacheWrite: cost.cache_write }),
    ...(cost.cache_write_1h !== undefined && { cacheWrite1h: cost.cache_write_1h }),
    ...(cost.reasoning !== undefined && cost.reasoning !== cost.output && { reasoning: cost.reasoning }),
  };
}

function reportFields(subject: string, own: Record<string, unknown>, report: UpdateReport): void {
  const parts = { model: own, cost: own['cost'], limit: own['limit'] };
  for (const [part, fields] of Object.entries(parts) as [keyof typeof parts, unknown][]) {
    const prefix = part === 'model' ? '' : `${part}.`;
    for (const field of Object.keys(fields ?? {})) {
      if (!knownFields[part].has(field)) report.add('unknown-field', subject, `${prefix}${field}`);
    }
  }
  for (const field of [
    'limit',
    'modalities',
    'tool_call',
    'structured_output',
    'reasoning',
    'release_date',
  ]) {
    if (own[field] === undefined) report.add('missing-field', subject, field);
  }
}
