/** Why K, the size of the forwarded set, is what it is. See docs/planning in the design. */
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

/** How the ranking was made: by embeddings, or by the keyword fast path. */
export type RoutingMethod = 'semantic' | 'keyword';

/** What a request is about, as far as its last turn tells. */
export type IntentClass = 'chat' | 'lookup' | 'act' | 'multi-step' | 'code' | 'continue';

export interface ToolCandidate {
  readonly name: string;
  /** Higher is better; comparable within one plan only. */
  readonly score: number;
  /** 1 is the best. */
  readonly rank: number;
  readonly forwarded: boolean;
  /** Set for tools that are forwarded whatever their score. */
  readonly alwaysIn?: 'called' | 'tool_choice' | 'mentioned' | 'built_in' | 'cache_control';
}

/** What a client says of a tool. */
export interface ToolDescription {
  /** Null for a built-in tool without a name. */
  readonly name: string | null;
  readonly description: string;
  /** The JSON Schema of the arguments as the client wrote it, or null. */
  readonly parameters: unknown;
  /** `x-svc-examples`: texts that should lead to this tool. */
  readonly examples: readonly string[];
}
