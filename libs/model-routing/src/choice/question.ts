import type { CatalogModel } from '@gateway/model-catalog';
import type { ComplexityLevel, ComplexityThresholds } from '../complexity/complexity-model.ts';
import type { RoutingMode } from './routing-string.ts';

/** What a model must be able to do for a request. */
export interface Needs {
  readonly tools: boolean;
  readonly images: boolean;
  readonly documents: boolean;
  readonly jsonMode: boolean;
  readonly streaming: boolean;
  readonly thinking: boolean;
  /** Estimated, as the request is expected to go out. */
  readonly inputTokens: number;
  /** As the client bounds it; null: it does not. */
  readonly outputTokensMax: number | null;
  /** The client marks what of it is to be cached. */
  readonly marksCache: boolean;
}

/** What the account allows. */
export interface RoutingPolicy {
  /** Null is all of them. */
  readonly allowedProviders: readonly string[] | null;
  /** `<provider>/<model>` of those that take no part. */
  readonly turnedOff: ReadonlySet<string>;
  /** The dearest that input or output may be, in USD per million tokens. Null is no bound. */
  readonly maxCostUsdPerMtok: number | null;
}

/** What requests showed of a model lately; older ones count less. */
export interface ObservedLatency {
  readonly firstTokenMs: number;
  /** Null: no answer told its pace. */
  readonly msPerToken: number | null;
  /** How many requests that is worth. */
  readonly weight: number;
}

export interface ObservedRecall {
  /** Requests whose tools were pruned and where some were called, and those of them that had all that was called. */
  readonly judged: number;
  readonly recalled: number;
}

/** The model that a session has been with. */
export interface Pin {
  readonly id: string;
  /** The session's complexity, as it was decided on its first turn. */
  readonly level: ComplexityLevel;
  /** The prefix that its provider has read before and may still have in its cache. 0: it is gone, or was too short. */
  readonly cachedTokens: number;
  /** Turns so far. */
  readonly turns: number;
  /** The transcript carries reasoning that is bound to its model. */
  readonly isBound: boolean;
}

/** A model that may be chosen, with what does not change from request to request. */
export interface ListedModel {
  readonly model: CatalogModel;
  /** `<provider>/<model>` */
  readonly id: string;
  /** 0 to 1: see `rateQuality`. */
  readonly quality: number;
}

/** All that a choice depends on: equal questions get equal answers. */
export interface RoutingQuestion {
  readonly mode: RoutingMode;
  /** The chat models of the connected providers, in a steady order. */
  readonly models: readonly ListedModel[];
  readonly needs: Needs;
  readonly policy: RoutingPolicy;
  /** 0 to 1; looked at by `auto` alone. */
  readonly complexity: number;
  readonly thresholds: ComplexityThresholds;
  readonly latency: (id: string) => ObservedLatency | undefined;
  readonly recall: (id: string) => ObservedRecall | undefined;
  readonly pin: Pin | null;
  /** 0 to 1: below `explorationShare`, a less known model is tried. */
  readonly chance: number;
  /** `YYYY-MM-DD`: models that have been retired by then are out. */
  readonly today: string;
}

/** A model that may serve the request, with what speaks for it. */
export interface Candidate extends ListedModel {
  /** By which it stands in its place: USD in `cheap` and `auto`, milliseconds in `fast`, quality times recall in `capable`. */
  readonly score: number;
  /** What the request is expected to cost. Null: its prices are not known. */
  readonly costUsd: number | null;
}

/**
 * Why the first candidate is the first. `complexity_*`: the cheapest of those that are good enough for it. `session`: the
 * session has been with it. `session_moved`: the saving pays for the cache that is lost. `bound_thinking`: the transcript
 * belongs to it. `explored`: little is known of it.
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
  /** The best first; the others are who may stand in. Empty when every model is excluded. */
  readonly candidates: readonly Candidate[];
  /** Null without a candidate. */
  readonly reason: ChoiceReason | null;
  readonly level: ComplexityLevel;
  readonly excluded: readonly Excluded[];
}
