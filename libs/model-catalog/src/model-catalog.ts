import { catalogFile, type ModelKind, type ModelPrices, type ModelRecord } from './catalog-file.ts';
import data from '../data/models.json' with { type: 'json' };

/** Prompt caching of a model. Multipliers are of the plain input price; null where they are not known. */
export interface CacheRules {
  readonly kind: 'automatic' | 'explicit' | 'none';
  readonly minTokens: number | null;
  readonly ttlSeconds: number | null;
  readonly readMultiplier: number | null;
  readonly writeMultiplier: number | null;
}

/** A model at a provider. */
export interface CatalogModel extends Readonly<Omit<ModelRecord, 'cache'>> {
  readonly cache: CacheRules | null;
}

export interface ModelCatalog {
  readonly models: readonly CatalogModel[];
  /** By the provider's id of the model or one of its aliases; exact. One look-up, however many models there are. */
  find(provider: string, modelId: string): CatalogModel | undefined;
  /** The providers that have a model of that kind (any, if left out) by this id or alias, in the order of the file. */
  providersOf(modelId: string, kind?: ModelKind): readonly string[];
  modelsOf(provider: string): readonly CatalogModel[];
}

/**
 * Builds a catalogue of what a data file says.
 * @throws ZodError when it is not in form, Error when two models of a provider claim one id or a source is not listed.
 */
export function createCatalog(fileContent: unknown): ModelCatalog {
  const file = catalogFile.parse(fileContent);
  const models = file.models.map((record) => ({ ...record, cache: mapCacheRules(record) }));
  const byProvider = new Map<string, CatalogModel[]>();
  const byId = new Map<string, Map<string, CatalogModel>>();
  for (const model of models) {
    const unlisted = model.sources.find((source) => !Object.hasOwn(file.sources, source));
    if (unlisted !== undefined) throw new Error(`${model.modelId}: the source "${unlisted}" is not listed`);
    entryOf(byProvider, model.provider, () => []).push(model);
    for (const id of [model.modelId, ...model.aliases]) {
      const holders = entryOf(byId, id, () => new Map<string, CatalogModel>());
      if (holders.has(model.provider)) throw new Error(`${model.provider} has two models "${id}"`);
      holders.set(model.provider, model);
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

/** The catalogue of the data file that ships with the gateway. Parsed and checked on the first call. */
export function loadCatalog(): ModelCatalog {
  loaded ??= createCatalog(data);
  return loaded;
}

function mapCacheRules({ cache, prices }: ModelRecord): CacheRules | null {
  if (cache === null) return null;
  return {
    ...cache,
    readMultiplier: multiplierOf(prices, 'cacheRead'),
    writeMultiplier: multiplierOf(prices, 'cacheWrite'),
  };
}

function multiplierOf(prices: ModelPrices | null, field: 'cacheRead' | 'cacheWrite'): number | null {
  const price = prices?.[field];
  return prices && price !== undefined && prices.input > 0 ? price / prices.input : null;
}

function entryOf<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}
