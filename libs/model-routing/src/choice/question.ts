import type { CatalogModel } from '@gateway/model-catalog';
import type { ComplexityLevel, ComplexityThresholds } from '../complexity/complexity-model.ts';

/** Capabilities that the model must have for a request. */
export interface Needs {
  readonly tools: boolean;
  readonly images: boolean;
  readonly documents: boolean;
  readonly jsonMode: boolean;
  readonly streaming: boolean;
  readonly thinking: boolean;
  /** Estimated token count of the upstream request. */
  readonly inputTokens: number;
  /** The client's output limit in tokens. Null means that there is no output limit. */
  readonly outputTokensMax: number | null;
  /** Whether the client marked a prompt prefix for caching. */
  readonly marksCache: boolean;
}

/** Restrictions on models that the account sets. */
export interface RoutingPolicy {
  /** Allowed providers. Null allows all providers. */
  readonly allowedProviders: readonly string[] | null;
  /** Disabled models, as `<provider>/<model>`. */
  readonly turnedOff: ReadonlySet<string>;
  /** Maximum input and output prices, in USD per million tokens. Null means no maximum. */
  readonly maxCostUsdPerMtok: number | null;
}

/** A model's observed latency. Older requests have less weight in the average. */
export interface ObservedLatency {
  readonly firstTokenMs: number;
  /** Observed time per output token. Null if no observed response was suitable for the measurement. */
  readonly msPerToken: number | null;
  /** Weight of the latency observation, as a number of requests. */
  readonly weight: number;
}

export interface ObservedRecall {
  /** Number of requests with pruned tools and at least one tool call. */
  readonly judged: number;
  /** Number of requests with pruned tools in which every called tool had been forwarded. */
  readonly recalled: number;
}

/** The model that a conversation has used so far. */
export interface Pin {
  readonly id: string;
  /** The conversation's complexity, determined on its first turn. */
  readonly level: ComplexityLevel;
  /**
   * Length of the prompt prefix that may still be in the provider's cache, in tokens. The length is 0 if
   * the prefix has expired or is too short.
   */
  readonly cachedTokens: number;
  /** Number of turns in the conversation so far. */
  readonly turns: number;
  /** Whether the transcript contains reasoning that is bound to this model. */
  readonly isBound: boolean;
}

/** A model that the gateway may choose, with the data that does not depend on the request. */
export interface ListedModel {
  readonly model: CatalogModel;
  /** The model id, as `<provider>/<model>`. */
  readonly id: string;
  /** The model's quality, from 0 to 1. See `rateQuality`. */
  readonly quality: number;
}

/** All inputs of the model choice. Equal inputs lead to the same model choice. */
export interface RoutingQuestion {
  readonly mode: RoutingMode;
  /** The chat models of the connected providers, in a stable order. */
  readonly models: readonly ListedModel[];
  readonly needs: Needs;
  readonly policy: RoutingPolicy;
  /** The request's complexity, from 0 to 1. Only the mode `auto` uses the request's complexity. */
  readonly complexity: number;
  readonly thresholds: ComplexityThresholds;
  readonly latency: (id: string) => ObservedLatency | undefined;
  readonly recall: (id: string) => ObservedRecall | undefined;
  readonly pin: Pin | null;
  /**
   * A random number from 0 to 1. If `chance` is less than `explorationShare`, the gateway chooses a model
   * with few observations.
   */
  readonly chance: number;
  /**
   * The time when the request was accepted, as Unix time in milliseconds. The time determines the prices. The
   * UTC day determines which models are retired.
   */
  readonly now: number;
}

/** A model that can serve the request, with its score. */
export interface Candidate extends ListedModel {
  /**
   * The score that determines the order of candidates. The score is an amount in USD in the modes `cheap` and
   * `auto`, a time in milliseconds in `fast`, and quality × recall in `capable`.
   */
  readonly score: number;
  /** Expected cost of the request, in USD. Null if the prices are unknown. */
  readonly costUsd: number | null;
}

/**
 * The reason why the first candidate was chosen. `complexity_*` means that the cheapest model with sufficient
 * quality was chosen. `session` means that the conversation keeps its current model. `session_moved` means
 * that switching models saves more than the lost prompt cache costs. `bound_thinking` means that the
 * transcript contains the model's bound reasoning. `explored` means that the model has few observations.
 */
export type ChoiceReason =
  | 'complexity_low'
  | 'complexity_medium'
  | 'complexity_high'
  | 'cheapest'
  | 'fastest'
  | 'explored'
  | 'most_capable'
  | 'session'
  | 'session_moved'
  | 'bound_thinking';

export interface Excluded {
  readonly id: string;
  readonly rule: ExclusionRule;
}

export type ExclusionRule =
  | 'provider_not_allowed'
  | 'turned_off'
  | 'sandbox'
  | 'own_deployments'
  | 'retired'
  | 'deprecated'
  | 'other_region'
  | 'responses_only'
  | 'above_max_cost'
  | 'price_unknown'
  | 'no_tools'
  | 'no_images'
  | 'no_documents'
  | 'no_json_mode'
  | 'no_streaming'
  | 'no_thinking'
  | 'context_too_short'
  | 'output_too_short'
  | 'session_bound';

export interface RoutingChoice {
  /**
   * Candidates, best first. The candidates after the first candidate serve as fallbacks. Empty if every
   * model is excluded.
   */
  readonly candidates: readonly Candidate[];
  /** The reason for choosing the first candidate. Null if there is no candidate. */
  readonly reason: ChoiceReason | null;
  readonly level: ComplexityLevel;
  readonly excluded: readonly Excluded[];
}

/** The modes choose a model by request complexity, by price, by latency or by quality. */
export const routingModes = ['auto', 'cheap', 'fast', 'capable'] as const;
export type RoutingMode = (typeof routingModes)[number];

const prefix = 'svc/';
const modeOf: ReadonlyMap<string, RoutingMode> = new Map(
  routingModes.map((mode) => [`${prefix}${mode}`, mode] as const),
);

/** Parses `svc/auto` to `auto`. Returns undefined for a model name. */
export function parseRoutingString(model: string): RoutingMode | undefined {
  return model.startsWith(prefix) ? modeOf.get(model) : undefined;
}

/** Whether a model string starts with the gateway's prefix. The text after the prefix may be an unknown mode. */
export function isRoutingName(model: string): boolean {
  return model.startsWith(prefix);
}

export const routingStrings: readonly string[] = [...modeOf.keys()];
