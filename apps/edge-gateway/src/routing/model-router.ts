import type { CatalogModel, ModelCatalog } from '@gateway/model-catalog';
import {
  chooseModel,
  listModels,
  loadComplexityModel,
  type ListedModel,
  type Needs,
  type Pin,
  type RoutingChoice,
  type RoutingMode,
  type RoutingPolicy,
  type RoutingQuestion,
} from '@gateway/model-routing';
import { hash } from 'node:crypto';
import { chooseThresholds } from './account-routing.ts';
import type { ModelToggles, ToolRecall } from './account-routing.ts';
import type { ModelChoice } from '../request/model-choice.ts';
import type { Observations, SeenAnswer } from './observations.ts';
import type { PinnedModel, ConversationPins } from './conversation-pins.ts';

export interface ModelRouterOptions {
  readonly catalog: ModelCatalog;
  readonly toggles: Pick<ModelToggles, 'turnedOff'>;
  readonly observations: Pick<Observations, 'read' | 'noteAnswer' | 'noteComplexity'>;
  readonly recall: Pick<ToolRecall, 'peek'>;
  readonly pins: Pick<ConversationPins, 'find' | 'keep'>;
  readonly now?: () => number;
}

/** A request for which the gateway chooses the model. */
export interface RoutedRequest {
  readonly accountId: string;
  readonly mode: RoutingMode;
  readonly connected: ReadonlySet<string>;
  /** The catalogue, including the account's own models. */
  readonly catalog: ModelCatalog;
  readonly needs: Needs;
  /** Estimated input tokens of the model's last turn and all later messages. */
  readonly freshTokens: number;
  readonly policy: Omit<RoutingPolicy, 'turnedOff'>;
  /** Key of the conversation that the request belongs to. */
  readonly conversation: string;
  /** Whether the request may be a later turn of a conversation. */
  readonly mayGoOn: boolean;
  /** The first task of the conversation. */
  readonly task: string;
  /** Whether the transcript contains reasoning that is signed by the model. */
  readonly carriesThinking: boolean;
}

export interface Routed {
  readonly choice: RoutingChoice;
  readonly complexity: number;
  /** Number of turns in the conversation, including the current turn. */
  readonly turns: number;
}

/** A request that received a response. */
export interface Answered {
  readonly accountId: string;
  /** The model that served the request, as `<provider>/<model>`. */
  readonly id: string;
  readonly seen: SeenAnswer | null;
  readonly inputTokens: number;
  /** The model that the gateway chose. Undefined if the client specified the model. */
  readonly chosen: ModelChoice | undefined;
}

/** Prompt cache lifetime in seconds for models without a lifetime in the catalogue. */
const cacheSecondsDefault = 300;
/**
 * Length in tokens of the shortest prefix that is cached, for models without such a length in the catalogue. Most
 * providers use 1,024 tokens.
 */
const cacheTokensDefault = 1_024;

/**
 * Chooses the model for automatically routed requests. The router gathers the connected providers, the excluded
 * models, the response times and the model of the last turn. A pure function chooses the model from the inputs.
 */
export class ModelRouter {
  readonly #options: ModelRouterOptions;
  readonly #now: () => number;
  #listed: ReadonlyMap<string, readonly ListedModel[]> | undefined;
  readonly #own = new WeakMap<CatalogModel, ListedModel>();

  constructor(options: ModelRouterOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Chooses the model for a request. Throws `service_unavailable` if the models that the account excludes
   * cannot be loaded.
   */
  async choose(request: RoutedRequest): Promise<Routed> {
    const { accountId, mode, conversation, policy } = request;
    const { toggles, observations, pins, recall } = this.#options;
    const [turnedOff, observed, pinned] = await Promise.all([
      toggles.turnedOff(accountId),
      observations.read(accountId),
      request.mayGoOn ? pins.find(accountId, conversation) : undefined,
    ]);
    const model = loadComplexityModel();
    const complexity = mode === 'auto' ? model.score(request.task) : 0;
    const recalls = mode === 'capable' && request.needs.tools ? recall.peek(accountId) : undefined;
    const question: RoutingQuestion = {
      mode,
      models: this.listModels(request),
      needs: pinned === undefined ? request.needs : needsOf(pinned, request),
      policy: { ...policy, turnedOff },
      complexity,
      thresholds: chooseThresholds(model.thresholds, observed.complexity),
      latency: observed.latency,
      recall: (id) => recalls?.get(id),
      pin: pinned === undefined ? null : this.#pinOf(pinned, request),
      chance: chanceOf(conversation, observed.answers),
      now: this.#now(),
    };
    return { choice: chooseModel(question), complexity, turns: (pinned?.turns ?? 0) + 1 };
  }

  /** Records the speed of each response, and remembers the model for automatically routed conversations. */
  noteAnswer({ accountId, id, seen, inputTokens, chosen }: Answered): void {
    const { observations, pins } = this.#options;
    if (seen !== null) observations.noteAnswer(accountId, id, seen);
    if (chosen === undefined) return;
    const { mode, conversation, turns, complexity, level } = chosen;
    if (mode === 'auto' && turns === 1) observations.noteComplexity(accountId, complexity);
    pins.keep(accountId, conversation, { id, level, inputTokens, turns, at: this.#now() });
  }

  /** Lists the chat models of the connected providers with their quality, in a stable order. */
  listModels({ connected, catalog }: Pick<RoutedRequest, 'connected' | 'catalog'>): readonly ListedModel[] {
    this.#listed ??= listModels(this.#options.catalog.models);
    const listed = this.#listed;
    const shipped = this.#options.catalog;
    return [...connected].flatMap((provider) => {
      const models = catalog.modelsOf(provider);
      if (models === shipped.modelsOf(provider)) return listed.get(provider) ?? [];
      return models.filter(({ kind }) => kind === 'chat').map((model) => this.#rateOwn(model));
    });
  }

  /** Rates an account's own model like the same model at another provider, or else by price and age. */
  #rateOwn(model: CatalogModel): ListedModel {
    const rated = this.#own.get(model);
    if (rated !== undefined) return rated;
    const { provider, modelId } = model;
    const holders = [provider, ...this.#options.catalog.providersOf(modelId, 'chat')];
    const sibling = holders
      .flatMap((name) => this.#listed?.get(name) ?? [])
      .find((each) => each.model.modelId === modelId);
    const quality = sibling?.quality ?? listModels([model]).get(provider)?.[0]?.quality ?? 0;
    const own = { model, id: `${provider}/${modelId}`, quality };
    this.#own.set(model, own);
    return own;
  }

  #pinOf(
    { id, level, inputTokens, turns, at }: PinnedModel,
    { carriesThinking, catalog }: RoutedRequest,
  ): Pin {
    const slash = id.indexOf('/');
    const cache = catalog.find(id.slice(0, slash), id.slice(slash + 1))?.cache ?? null;
    const { kind = 'none', ttlSeconds, minTokens } = cache ?? {};
    const isKept = this.#now() - at < (ttlSeconds ?? cacheSecondsDefault) * 1_000;
    const isCached = kind !== 'none' && isKept && inputTokens >= (minTokens ?? cacheTokensDefault);
    return { id, level, turns, cachedTokens: isCached ? inputTokens : 0, isBound: carriesThinking };
  }
}

/**
 * Corrects the estimated number of input tokens. The corrected estimate is the provider's token count for the
 * conversation's last request, plus the tokens of the new messages. The provider's count is exact, and covers
 * the request after pruning and compression. The provider's count is not used if the client has started a
 * shorter transcript under the same conversation key.
 */
function needsOf({ inputTokens }: PinnedModel, { needs, freshTokens }: RoutedRequest): Needs {
  const expected = inputTokens + freshTokens;
  return inputTokens === 0 || expected > 2 * needs.inputTokens ? needs : { ...needs, inputTokens: expected };
}

/**
 * Returns a pseudo-random number between 0 and 1 that changes with every response. The pseudo-random number depends
 * only on the conversation and the recorded responses, so equal inputs lead to equal choices.
 */
function chanceOf(conversation: string, answers: number): number {
  return hash('sha256', `${conversation}\n${Math.floor(answers)}`, 'buffer').readUInt32BE(0) / 2 ** 32;
}
