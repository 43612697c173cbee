import { accountChanged, listDeclaredModels, type DeclaredModel } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import {
  createOwnModel,
  extendCatalog,
  type CatalogModel,
  type ModelCatalog,
  type ModelKind,
} from '@gateway/model-catalog';
import { isRoutingName } from '@gateway/model-routing';
import { findProvider, formatsOf } from '@gateway/providers';
import { withTimeout } from '@gateway/observability';
import { RemoteCache } from '../cache/remote-cache.ts';
import type { LiveModel, LiveModels } from './live-models.ts';

export interface AccountModelsOptions {
  readonly catalog: ModelCatalog;
  readonly liveModels: Pick<LiveModels, 'find' | 'kept'>;
  readonly messaging: Pick<Messaging, 'call' | 'connected' | 'onBroadcast' | 'onReconnect'>;
}

/** A request for the models of an account. */
export interface WantedModels {
  readonly accountId: string;
  /** The names of the account's connected providers. */
  readonly connected: ReadonlySet<string>;
  /**
   * The model name in a request. A request that specifies both a provider and a model needs no model list.
   * Undefined if all models are requested.
   */
  readonly model?: string;
}

/** The model catalogue that applies to one request. `open` sets the models of the request's account. */
export interface RequestModels {
  /** Returns the catalogue with the account's own models. The promise never rejects. */
  open(wanted: WantedModels): Promise<ModelCatalog>;
}

/** Maximum time in milliseconds for which a request waits for the account's declared models. */
const declaredMsMax = 500;
/** Maximum time in milliseconds that a request waits for the first model list of a provider. */
const listedMsMax = 2_500;

/**
 * The models that each account has. Models come from the catalogue, from the account's declarations, and from the
 * model lists of Ollama, vLLM, SambaNova and custom addresses. Facts that the account declared take precedence over
 * facts that the provider lists. If a source is unavailable, the other sources still apply.
 */
export class AccountModels implements RequestModels {
  readonly #options: AccountModelsOptions;
  readonly #declared: RemoteCache<readonly DeclaredModel[]>;
  /** For each list of declared models, a catalogue that includes these models. */
  readonly #built = new WeakMap<
    readonly DeclaredModel[],
    { listed: readonly unknown[]; catalog: ModelCatalog }
  >();

  constructor(options: AccountModelsOptions) {
    this.#options = options;
    const { messaging } = options;
    this.#declared = new RemoteCache<readonly DeclaredModel[]>({
      entriesMax: 10_000,
      freshMs: 60_000,
      staleMs: 600_000,
      broadcastsArrive: () => messaging.connected,
      load: async (accountId) => (await messaging.call(listDeclaredModels, { accountId })).models,
    });
    messaging.onBroadcast(accountChanged, ({ accountId }) =>
      this.#declared.invalidate((_, key) => key === accountId),
    );
    messaging.onReconnect(() => this.#declared.doubtAll());
  }

  async open({ accountId, connected, model }: WantedModels): Promise<ModelCatalog> {
    const declared =
      this.#declared.peek(accountId) ??
      (await withTimeout(
        this.#declared.get(accountId).catch(() => nothing),
        declaredMsMax,
        nothing,
      ));
    const listing = [...connected].filter((name) => this.#isListed(name));
    const lists = this.#mayNeedLists(model)
      ? await this.#loadLists(accountId, listing)
      : this.#keptLists(accountId, listing);
    return this.#build(declared, listing, lists);
  }

  /** Returns the services of one request. After a call to `open`, the services contain the account's catalogue. */
  scope<Services extends { readonly catalog: ModelCatalog }>(
    services: Services,
  ): Services & { readonly accountModels: Pick<AccountModels, 'open' | 'scope'> } {
    const catalog = new RequestCatalog(services.catalog);
    const open = async (wanted: WantedModels): Promise<ModelCatalog> => {
      catalog.use(await this.open(wanted));
      return catalog;
    };
    return { ...services, catalog, accountModels: { open, scope: (others) => this.scope(others) } };
  }

  /** Whether the gateway reads the model list of the provider, because the catalogue has none. */
  #isListed(name: string): boolean {
    return this.#options.catalog.modelsOf(name).length === 0 && formatOf(name) !== undefined;
  }

  /** A bare name outside the catalogue may belong to any provider that lists it. */
  #mayNeedLists(model: string | undefined): boolean {
    if (model === undefined || isRoutingName(model)) return true;
    const slash = model.indexOf('/');
    if (slash > 0 && findProvider(model.slice(0, slash)) !== undefined) return false;
    return this.#options.catalog.providersOf(model).length === 0;
  }

  /** Loads the model lists. Later calls use the cached lists, which are refreshed in the background. */
  #loadLists(accountId: string, names: readonly string[]): Promise<Lists> {
    const { liveModels } = this.#options;
    return Promise.all(
      names.map(async (name) => {
        const loading = liveModels.find(accountId, name);
        return liveModels.kept(accountId, name) ?? (await withTimeout(loading, listedMsMax, nothing));
      }),
    );
  }

  #keptLists(accountId: string, names: readonly string[]): Lists {
    return names.map((name) => this.#options.liveModels.kept(accountId, name) ?? nothing);
  }

  #build(declared: readonly DeclaredModel[], names: readonly string[], lists: Lists): ModelCatalog {
    const { catalog } = this.#options;
    if (declared.length === 0 && lists.every(({ length }) => length === 0)) return catalog;
    const built = this.#built.get(declared);
    if (built?.listed.length === lists.length && lists.every((list, at) => list === built.listed[at]))
      return built.catalog;
    const listed = names.flatMap((name, at) =>
      (lists[at] ?? []).map((model) => renderListed(name, model, catalog)),
    );
    const own = new Map(
      [...listed, ...renderDeclared(declared, extendCatalog(catalog, listed))].map((model) => [
        `${model.provider}/${model.modelId}`,
        model,
      ]),
    );
    const extended = extendCatalog(catalog, [...own.values()]);
    if (declared !== nothing) this.#built.set(declared, { listed: lists, catalog: extended });
    return extended;
  }
}

type Lists = readonly (readonly LiveModel[])[];
const nothing: readonly never[] = [];

function formatOf(provider: string) {
  const known = findProvider(provider);
  return known === undefined ? undefined : formatsOf(known)[0];
}

function renderListed(
  provider: string,
  { id, contextWindow }: LiveModel,
  catalog: ModelCatalog,
): CatalogModel {
  const format = formatOf(provider) ?? 'chat-completions';
  return createOwnModel({ provider, modelId: id, format, contextWindow }, catalog);
}

function renderDeclared(declared: readonly DeclaredModel[], catalog: ModelCatalog): CatalogModel[] {
  return declared.map((model) => {
    const { provider, model_id: modelId, aliases, capabilities } = model;
    const { json_mode: jsonMode, ...others } = capabilities;
    const facts = {
      ...{ provider, modelId, aliases, format: formatOf(provider) ?? ('chat-completions' as const) },
      contextWindow: model.context_window,
      maxOutputTokens: model.max_output_tokens,
      prices: renderPrices(model),
      capabilities: { ...others, jsonMode },
    };
    return createOwnModel(facts, catalog);
  });
}

function renderPrices(model: DeclaredModel): CatalogModel['prices'] {
  const { input_cost_usd_per_mtok: input, output_cost_usd_per_mtok: output } = model;
  if (input === null || output === null) return null;
  const { cache_read_cost_usd_per_mtok: cacheRead, cache_write_cost_usd_per_mtok: cacheWrite } = model;
  return {
    ...{ input, output },
    ...(cacheRead === null ? {} : { cacheRead }),
    ...(cacheWrite === null ? {} : { cacheWrite }),
  };
}

/** The catalogue that all steps of one request share. Contains only shipped models until the account is known. */
class RequestCatalog implements ModelCatalog {
  #current: ModelCatalog;

  constructor(shipped: ModelCatalog) {
    this.#current = shipped;
  }

  use(catalog: ModelCatalog): void {
    this.#current = catalog;
  }

  get models(): readonly CatalogModel[] {
    return this.#current.models;
  }

  find(provider: string, modelId: string): CatalogModel | undefined {
    return this.#current.find(provider, modelId);
  }

  providersOf(modelId: string, kind?: ModelKind): readonly string[] {
    return this.#current.providersOf(modelId, kind);
  }

  modelsOf(provider: string): readonly CatalogModel[] {
    return this.#current.modelsOf(provider);
  }
}
