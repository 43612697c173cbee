import type { ModelCatalog } from '@gateway/model-catalog';
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

/** A request that leaves its model to the gateway. */
export interface RoutedRequest {
  readonly accountId: string;
  readonly mode: RoutingMode;
  readonly connected: ReadonlySet<string>;
  readonly needs: Needs;
  /** Of the input, what came since the model's last turn, that turn included. Estimated. */
  readonly freshTokens: number;
  readonly policy: Omit<RoutingPolicy, 'turnedOff'>;
  /** What names its session. */
  readonly session: string;
  /** Whether it may be a later turn of one. */
  readonly mayGoOn: boolean;
  /** What the session was begun for. */
  readonly task: string;
  /** The transcript carries reasoning that its model signed. */
  readonly carriesThinking: boolean;
}

export interface Routed {
  readonly choice: RoutingChoice;
  readonly complexity: number;
  /** Turns with this one. */
  readonly turns: number;
}

/** A request that a model answered. */
export interface Answered {
  readonly accountId: string;
  /** `<provider>/<model>` */
  readonly id: string;
  readonly seen: SeenAnswer | null;
  readonly inputTokens: number;
  /** Absent where the client named the model. */
  readonly chosen: ModelChoice | undefined;
}

/** A prompt cache is kept for at least so long where the catalogue does not say. */
const cacheSecondsDefault = 300;
/** The shortest prefix that is cached, where the catalogue does not say: that of most providers. */
const cacheTokensDefault = 1_024;

/**
 * Chooses the model of requests that leave it to the gateway: gathers what is known (connections, toggles, what was observed, the
 * session) into one question, whose answer is a pure function of it.
 */
export class ModelRouter {
  readonly #options: ModelRouterOptions;
  readonly #now: () => number;
  #listed: ReadonlyMap<string, readonly ListedModel[]> | undefined;

  constructor(options: ModelRouterOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Throws `service_unavailable` when nobody knows which models the account has turned off. */
  async choose(request: RoutedRequest): Promise<Routed> {
    const { accountId, mode, session, policy } = request;
    const { toggles, observations, pins, recall } = this.#options;
    const [turnedOff, observed, pinned] = await Promise.all([
      toggles.turnedOff(accountId),
      observations.read(accountId),
      request.mayGoOn ? pins.find(session) : undefined,
    ]);
    const model = loadComplexityModel();
    const complexity = mode === 'auto' ? model.score(request.task) : 0;
    const recalls = mode === 'capable' && request.needs.tools ? recall.peek(accountId) : undefined;
    const question: RoutingQuestion = {
      mode,
      models: this.#modelsOf(request.connected),
      needs: pinned === undefined ? request.needs : needsOf(pinned, request),
      policy: { ...policy, turnedOff },
      complexity,
      thresholds: chooseThresholds(model.thresholds, observed.complexity),
      latency: observed.latency,
      recall: (id) => recalls?.get(id),
      pin: pinned === undefined ? null : this.#pinOf(pinned, request),
      chance: chanceOf(session, observed.answers),
      today: new Date(this.#now()).toISOString().slice(0, 10),
    };
    return { choice: chooseModel(question), complexity, turns: (pinned?.turns ?? 0) + 1 };
  }

  /** Of each answer, whoever chose its model: how fast it was, and whom the session is with. */
  noteAnswer({ accountId, id, seen, inputTokens, chosen }: Answered): void {
    const { observations, pins } = this.#options;
    if (seen !== null) observations.noteAnswer(accountId, id, seen);
    if (chosen === undefined) return;
    const { mode, conversation: session, turns, complexity, level } = chosen;
    if (mode === 'auto' && turns === 1) observations.noteComplexity(accountId, complexity);
    pins.keep(session, { id, level, inputTokens, turns, at: this.#now() });
  }

  #modelsOf(connected: ReadonlySet<string>): readonly ListedModel[] {
    this.#listed ??= listModels(this.#options.catalog.models);
    const listed = this.#listed;
    return [...connected].flatMap((provider) => listed.get(provider) ?? []);
  }

  #pinOf({ id, level, inputTokens, turns, at }: PinnedModel, { carriesThinking }: RoutedRequest): Pin {
    const slash = id.indexOf('/');
    const cache = this.#options.catalog.find(id.slice(0, slash), id.slice(slash + 1))?.cache ?? null;
    const { kind = 'none', ttlSeconds, minTokens } = cache ?? {};
    const isKept = this.#now() - at < (ttlSeconds ?? cacheSecondsDefault) * 1_000;
    const isCached = kind !== 'none' && isKept && inputTokens >= (minTokens ?? cacheTokensDefault);
    return { id, level, turns, cachedTokens: isCached ? inputTokens : 0, isBound: carriesThinking };
  }
}

/**
 * What the provider counted of the session's last request, as it went out pruned and compressed, and what came since: that tells
 * the length better than the bytes do. Unless the client has begun a shorter transcript under the same name.
 */
function needsOf({ inputTokens }: PinnedModel, { needs, freshTokens }: RoutedRequest): Needs {
  const expected = inputTokens + freshTokens;
  return inputTokens === 0 || expected > 2 * needs.inputTokens ? needs : { ...needs, inputTokens: expected };
}

/** Between 0 and 1, another one with every answer: of the state alone, so that the same state chooses the same. */
function chanceOf(session: string, answers: number): number {
  return hash('sha256', `${session}\n${Math.floor(answers)}`, 'buffer').readUInt32BE(0) / 2 ** 32;
}
