import type { ModelKind, ModelRecordInput } from '@gateway/model-catalog';
import type { GenaiPrices, SecondPrices } from './genai-prices.ts';
import { parseListedModel, type ListedCost, type ListedModel, type ModelsDev } from './models-dev.ts';
import { addNativeSelection } from './native-selection.ts';
import { findQuality } from './quality.ts';
import { exclusions, kindsById, kindsByOutput, type ProviderRule } from './provider-rules.ts';
import type { UpdateReport } from './report.ts';
import { addRetirement } from './retirements.ts';
import { chooseBinding } from './thinking-binding.ts';

type Prices = NonNullable<ModelRecordInput['prices']>;

export interface Lists {
  readonly modelsDev: ModelsDev;
  readonly genaiPrices: GenaiPrices | undefined;
  /** The date on which prices are compared, as `YYYY-MM-DD`. */
  readonly onDate: string;
}

/** Fields that are read, and fields that are deliberately ignored. All other fields are reported. */
const knownFields: Record<'model' | 'cost' | 'limit', ReadonlySet<string>> = {
  model: new Set(
    (
      'name release_date reasoning tool_call structured_output status modalities limit cost provider ' +
      'id family attachment temperature knowledge last_updated open_weights reasoning_options interleaved ' +
      'description weights benchmarks'
    ).split(' '),
  ),
  cost: new Set(['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'tiers', 'context_over_200k']),
  limit: new Set(['context', 'output', 'input']),
};

/** Converts one provider's listed models into records, sorted by id. */
export function convertProvider(rule: ProviderRule, lists: Lists, report: UpdateReport): ModelRecordInput[] {
  const listed = rule.modelsDev === null ? undefined : lists.modelsDev.modelsOf(rule.modelsDev);
  if (listed === undefined) {
    report.add('no-source', rule.provider, 'models.dev does not list it');
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
  const prices = convertPrices(subject, model.cost, report);
  const second =
    rule.genaiPrices === null
      ? undefined
      : lists.genaiPrices?.pricesOf(rule.genaiPrices, modelId, lists.onDate);
  const isCached = kind === 'chat' && prices?.cacheRead !== undefined;
  const quality =
    kind === 'chat' ? findQuality(subject, own, { modelId, maker: rule.maker }, lists.modelsDev, report) : [];
  return addSources(subject, report, {
    ...describe(rule, modelId, kind, model),
    ...(quality.length > 0 && { quality }),
    prices,
    cache: isCached && (rule.cachedModels?.test(modelId) ?? true) ? rule.cache : null,
    ...compare(subject, prices, second, report),
  });
}

/** Adds facts that come from other pages than the lists: bound reasoning and the retirement date. */
function addSources(subject: string, report: UpdateReport, record: ModelRecordInput): ModelRecordInput {
  const binding = chooseBinding(record.modelId, record.capabilities.thinking, record.releasedAt);
  if (binding === 'assumed')
    report.add(
      'assumed',
      subject,
      'binds its signed reasoning by assumption: the model is newer than the listed models',
    );
  const sources = [...record.sources, ...(binding === 'listed' ? ['anthropic-prefix-checks'] : [])];
  const retiring = addRetirement({
    ...record,
    ...(binding !== 'free' && { thinkingBinding: true }),
    sources,
  });
  if (retiring.deprecated === true && retiring.retiredAt === undefined)
    report.add('no-retirement', subject, 'is deprecated, but no source has its retirement date');
  return addNativeSelection(retiring);
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
): Omit<ModelRecordInput, 'prices' | 'cache' | 'sources'> {
  const takes = (modality: string): boolean | null => model.modalities?.input.includes(modality) ?? null;
  const thinking = model.reasoning ?? null;
  return {
    provider: rule.provider,
    modelId,
    ...(kind !== 'chat' && { kind }),
    formats: kind === 'chat' ? [...rule.formats] : [],
    contextWindow: model.limit?.context || null,
    maxOutputTokens: model.limit?.output || null,
    capabilities: {
      tools: model.tool_call ?? null,
      images: takes('image'),
      documents: takes('pdf'),
      jsonMode: model.structured_output ?? null,
      // Not a property of the model: every chat endpoint of these providers supports streaming.
      streaming: kind === 'chat' ? true : null,
      thinking,
    },
    ...(model.status === 'deprecated' && { deprecated: true }),
    releasedAt: model.release_date ?? null,
  };
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
    ...(cost.reasoning !== undefined && cost.reasoning !== cost.output && { reasoning: cost.reasoning }),
  };
}

/**
 * Two prices count as equal if they differ by at most this fraction. The lists round prices by up to half a
 * percent.
 */
const sameWithin = 0.005;

function compare(
  subject: string,
  prices: Prices | null,
  second: SecondPrices | undefined,
  report: UpdateReport,
): Pick<ModelRecordInput, 'sources' | 'disputed'> {
  if (prices === null || second === undefined) return { sources: ['models.dev'] };
  const disputed: Record<string, number> = {};
  for (const [field, other] of Object.entries(second) as [keyof SecondPrices, number][]) {
    const own = prices[field];
    if (own === undefined || Math.abs(own - other) <= sameWithin * Math.max(own, other)) continue;
    disputed[field] = other;
    report.add(
      'conflict',
      subject,
      `${field} is ${String(own)} in models.dev, ${String(other)} in genai-prices`,
    );
  }
  const agreed = Object.keys(disputed).length === 0;
  return { sources: ['models.dev', 'genai-prices'], ...(!agreed && { disputed }) };
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
