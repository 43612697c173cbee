import type { CatalogModel } from '@gateway/model-catalog';
import type { ComplexityLevel, ComplexityThresholds } from '../complexity/complexity-model.ts';
import type { RoutingMode } from './routing-string.ts';

/** Capabilities that a request needs. */
export interface Needs {
  readonly tools: boolean;
  readonly images: boolean;
  readonly documents: boolean;
  readonly jsonMode: boolean;
  readonly streaming: boolean;
  readonly thinking: boolean;
  /** Estimated tokens of the upstream request. */
  readonly inputTokens: number;
  /** The client's limit. Null: no limit. */
  readonly outputTokensMax: number | null;
  /** Whether the client marked a prefix for caching. */
  readonly marksCache: boolean;
}

/** The account's restrictions. */
export interface RoutingPolicy {
  /** Null allows all providers. */
  readonly allowedProviders: readonly string[] | null;
  /** Disabled models, as `<provider>/<model>`. */
  readonly turnedOff: ReadonlySet<string>;
  /** Maximum price of input and of output, in USD per million tokens. Null: no limit. */
  readonly maxCostUsdPerMtok: number | null;
}

/** Observed latency of a model. Older requests have less weight. */
export interface ObservedLatency {
  readonly firstTokenMs: number;
  /** Null when no response was suited to measure it. */
  readonly msPerToken: number | null;
  /** Weight of the observation, in requests. */
  readonly weight: number;
}

export interface ObservedRecall {
  /** Requests with pruned tools and at least one tool call. */
  readonly judged: number;
  /** Those of them in which every called tool was forwarded. */
  readonly recalled: number;
}

/** The model that a conversation has used so far. */
export interface Pin {
  readonly id: string;
  /** The complexity of the conversation, decided on its first turn. */
  readonly level: ComplexityLevel;
  /** Length of the prefix that the provider may still have in its cache. 0: expired, or too short. */
  readonly cachedTokens: number;
  /** Number of turns so far. */
  readonly turns: number;
  /** Whether the transcript contains bound reasoning of the model. */
  readonly isBound: boolean;
}

/** A model that can be chosen, with its facts that do not depend on the request. */
export interface ListedModel {
  readonly model: CatalogModel;
  /** `<provider>/<model>` */
  readonly id: string;
  /** 0 to 1. See `rateQuality`. */
  readonly quality: number;
}

/** All inputs of a choice. Equal questions give equal choices. */
export interface RoutingQuestion {
  readonly mode: RoutingMode;
  /** The chat models of the connected providers, in a stable order. */
  readonly models: readonly ListedModel[];
  readonly needs: Needs;
  readonly policy: RoutingPolicy;
  /** 0 to 1. Only the mode `auto` uses it. */
  readonly complexity: number;
  readonly thresholds: ComplexityThresholds;
  readonly latency: (id: string) => ObservedLatency | undefined;
  readonly recall: (id: string) => ObservedRecall | undefined;
  readonly pin: Pin | null;
  /** A random number from 0 to 1. Below `explorationShare`, a less known model is tried. */
  readonly chance: number;
  /** `YYYY-MM-DD`. Models that are retired by this day are excluded. */
  readonly today: string;
}

/** A model that can serve the request, with its score. */
export interface Candidate extends ListedModel {
  /** The value that orders candidates: USD in `cheap` and `auto`, milliseconds in `fast`, quality × recall in `capable`. */
  readonly score: number;
  /** Expected cost of the request. Null when the prices are unknown. */
  readonly costUsd: number | null;
}

/**
 * Why the first candidate was chosen. `complexity_*`: the cheapest model with sufficient quality. `session`: the model that
 * the conversation already uses. `session_moved`: the savings exceed the cost of the lost cache. `bound_thinking`: the
 * transcript contains its bound reasoning. `explored`: it has few observations.
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
  /** The best first, followed by the fallbacks. Empty when every model is excluded. */
  readonly candidates: readonly Candidate[];
  /** Null when there is no candidate. */
  readonly reason: ChoiceReason | null;
  readonly level: ComplexityLevel;
  readonly excluded: readonly Excluded[];
}
