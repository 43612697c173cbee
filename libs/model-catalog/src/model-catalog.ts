import { catalogFile, type ModelKind, type ModelRecord } from './catalog-file.ts';
import type { ModelPrices } from './prices.ts';
import data from '../data/models.json' with { type: 'json' };

/**
 * A provider's prompt caching for a model. The multipliers are relative to the regular input price. A
 * multiplier is null if the corresponding price is unknown. Time-dependent prices do not change the
 * multipliers, because the prices of input and cached input change in proportion.
 */
export interface CacheRules {
  readonly kind: 'automatic' | 'explicit' | 'none';
  readonly minTokens: number | null;
  readonly ttlSeconds: number | null;
  readonly readMultiplier: number | null;
  readonly writeMultiplier: number | null;
}

/** A model as offered by one provider. */
export interface CatalogModel extends Readonly<Omit<ModelRecord, 'cache'>> {
  readonly cache: CacheRules | null;
}

export interface ModelCatalog {
  readonly models: readonly CatalogModel[];
  /** Finds a model by the provider's exact model id or an alias, in constant time. */
  find(provider: string, modelId: string): CatalogModel | undefined;
  /**
   * Lists the providers that serve a model with the given id or alias, in file order. The parameter `kind`
   * restricts the search to models of one kind.
   */
  providersOf(modelId: string, kind?: ModelKind): readonly string[];
  modelsOf(provider: string): readonly CatalogModel[];
}

/**
 * Builds a catalogue from a data file's content.
 * @throws ZodError for an invalid file.
 * @throws Error if two models at one provider share an id, or if a source is not listed
 */
export function createCatalog(fileContent: unknown): ModelCatalog {
  const file = catalogFile.parse(fileContent);
  const models = file.models.map((record) => ({ ...record, cache: mapCacheRules(record) }));
  const byProvider = Map.groupBy<string, CatalogModel>(models, ({ provider }) => provider);
  const byId = new Map<string, Map<string, CatalogModel>>();
  for (const model of models) {
    const unlisted = listSources(model).find((source) => !Object.hasOwn(file.sources, source));
    if (unlisted !== undefined)
      throw new Error(`${model.modelId}: the source "${unlisted}" is not listed in "sources"`);
    for (const id of [model.modelId, ...model.aliases]) {
      const holders = byId.get(id) ?? new Map<string, CatalogModel>();
      if (holders.has(model.provider))
        throw new Error(`${model.provider} has two models with the id "${id}"`);
      byId.set(id, holders.set(model.provider, model));
    }
  }
  return {
    models,
    find: (provider, modelId) => byId.get(modelId)?.get(provider),
    providersOf: (modelId, kind) =>
      [...(byId.get(modelId) ?? [])]
        .filter(([, model]) => kind === undefined || model.kind === kind)
        .map(([provider]) => provider),
    modelsOf: (provider) => byProvider.get(provider) ?? [],
  };
}

let loaded: ModelCatalog | undefined;

/** The catalogue of the gateway's own data file, which the first call parses and validates. */
export function loadCatalog(): ModelCatalog {
  loaded ??= createCatalog(data);
  return loaded;
}

function listSources({ sources, disputes = [], evidence = {} }: ModelRecord): string[] {
  return [...sources, ...[...disputes, ...Object.values(evidence)].map(({ source }) => source)];
}

function mapCacheRules({ cache, prices }: ModelRecord): CacheRules | null {
  if (cache === null) return null;
  const readMultiplier = multiplierOf(prices, 'cacheRead');
  return { ...cache, readMultiplier, writeMultiplier: multiplierOf(prices, 'cacheWrite') };
}

function multiplierOf(prices: ModelPrices | null, field: 'cacheRead' | 'cacheWrite'): number | null {
  const price = prices?.[field];
  return prices && price !== undefined && prices.input > 0 ? price / prices.input : null;
}
