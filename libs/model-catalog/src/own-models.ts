import type { ModelKind, ModelRecord } from './catalog-file.ts';
import type { CatalogModel, ModelCatalog } from './model-catalog.ts';
import type { ModelPrices } from './prices.ts';

/** The known properties of an account's own model. Properties that are null or absent are unknown. */
export interface OwnModelFacts {
  readonly provider: string;
  readonly modelId: string;
  /** The preferred chat format of the provider. */
  readonly format: ModelRecord['formats'][number];
  readonly aliases?: readonly string[];
  readonly contextWindow?: number | null;
  readonly maxOutputTokens?: number | null;
  readonly prices?: ModelPrices | null;
  readonly capabilities?: Partial<ModelRecord['capabilities']>;
}

const unknownCapabilities: ModelRecord['capabilities'] = {
  tools: null,
  images: null,
  documents: null,
  jsonMode: null,
  streaming: null,
  thinking: null,
};

/**
 * Creates the catalogue record for an account's own model. Missing properties come from the catalogue's
 * record of the model at this provider. If the provider has no record of the model, capabilities and token
 * limits come from another provider's record with the same id. Prices depend on the provider.
 */
export function createOwnModel(facts: OwnModelFacts, catalog: ModelCatalog): CatalogModel {
  const { provider, modelId, format } = facts;
  const known = catalog.find(provider, modelId);
  const [sibling = ''] = catalog.providersOf(modelId, 'chat');
  const base = known ?? catalog.find(sibling, modelId);
  const prices = facts.prices ?? known?.prices ?? null;
  const capabilities = { ...unknownCapabilities, ...base?.capabilities };
  for (const [name, value] of Object.entries(facts.capabilities ?? {}))
    if (value !== null) Object.assign(capabilities, { [name]: value });
  return {
    provider,
    modelId,
    aliases: [...(facts.aliases ?? []), ...(known?.aliases ?? [])],
    kind: known?.kind ?? guessKind(modelId),
    formats: known?.formats ?? [format],
    contextWindow: facts.contextWindow ?? base?.contextWindow ?? null,
    maxOutputTokens: facts.maxOutputTokens ?? base?.maxOutputTokens ?? null,
    prices,
    capabilities,
    cache: known?.cache ?? null,
    quality: base?.quality ?? [],
    deprecated: known?.deprecated ?? false,
    releasedAt: base?.releasedAt ?? null,
    retiredAt: known?.retiredAt ?? null,
    sources: ['account'],
  };
}

/** Matches the usual names of models without chat support. Self-hosted servers do not list the kind of a model. */
const kindNames: readonly (readonly [RegExp, ModelKind])[] = [
  [/rerank/i, 'rerank'],
  [/embed|\bbge-|\be5-|\bgte-|minilm/i, 'embedding'],
  [/whisper|transcri/i, 'transcription'],
  [/\btts\b|kokoro|orpheus/i, 'speech'],
  [/stable-diffusion|sdxl|flux|dall-e/i, 'image'],
];

function guessKind(modelId: string): ModelKind {
  return kindNames.find(([pattern]) => pattern.test(modelId))?.[1] ?? 'chat';
}

/** Returns a catalogue in which an account's own models add to the shipped models or replace them. */
export function extendCatalog(catalog: ModelCatalog, own: readonly CatalogModel[]): ModelCatalog {
  if (own.length === 0) return catalog;
  const byProvider = Map.groupBy(own, ({ provider }) => provider);
  const byId = new Map<string, Map<string, CatalogModel>>();
  for (const model of own) {
    for (const id of [model.modelId, ...model.aliases]) {
      const holders = byId.get(id) ?? new Map<string, CatalogModel>();
      byId.set(id, holders);
      // A model's id takes precedence over an alias of another model.
      if (id === model.modelId || !holders.has(model.provider)) holders.set(model.provider, model);
    }
  }
  const modelsOf = (provider: string): readonly CatalogModel[] => {
    const added = byProvider.get(provider) ?? [];
    if (added.length === 0) return catalog.modelsOf(provider);
    const replaced = new Set(added.map(({ modelId }) => modelId));
    return [...catalog.modelsOf(provider).filter(({ modelId }) => !replaced.has(modelId)), ...added];
  };
  const isOfKind = (model: CatalogModel, kind?: ModelKind): boolean =>
    kind === undefined || model.kind === kind;
  return {
    get models() {
      const names = new Set([...catalog.models, ...own].map(({ provider }) => provider));
      return [...names].flatMap(modelsOf);
    },
    find: (provider, modelId) => byId.get(modelId)?.get(provider) ?? catalog.find(provider, modelId),
    providersOf: (modelId, kind) => {
      const added = [...(byId.get(modelId) ?? [])].filter(([, model]) => isOfKind(model, kind));
      return [...new Set([...catalog.providersOf(modelId, kind), ...added.map(([provider]) => provider)])];
    },
    modelsOf,
  };
}
