/** The reason for K, the number of forwarded tools. */
export type PlanReason =
  | 'calibrated'
  | 'prior'
  | 'override'
  | 'frozen'
  | 'grown'
  | 'short_list'
  | 'uncertain'
  | 'shadow'
  | 'bound_thinking'
  | 'net_negative'
  | 'timeout'
  | 'unavailable'
  | 'invalid_plan'
  | 'budget_exhausted'
  | 'budget_unknown'
  | 'off';

/** The ranking method: embeddings, or the keyword fast path. */
export type RoutingMethod = 'semantic' | 'keyword';

/** The kind of request, judged by its last turn. */
export type IntentClass = 'chat' | 'lookup' | 'act' | 'multi-step' | 'code' | 'continue';

export interface ToolCandidate {
  readonly name: string;
  /** Higher is better. Comparable only within one plan. */
  readonly score: number;
  /** 1 is the best. */
  readonly rank: number;
  readonly forwarded: boolean;
  /** Set for tools that are always forwarded, whatever their score. */
  readonly alwaysIn?: 'called' | 'tool_choice' | 'mentioned' | 'built_in' | 'cache_control';
}

/** A client's definition of a tool. */
export interface ToolDescription {
  /** Null for a built-in tool without a name. */
  readonly name: string | null;
  readonly description: string;
  /** The JSON Schema of the arguments in the client's spelling, or null. */
  readonly parameters: unknown;
  /** `x-svc-examples`: example requests that should select this tool. */
  readonly examples: readonly string[];
}
