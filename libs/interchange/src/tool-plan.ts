/** The reason for the value of K, the number of tools forwarded by rank. */
export type PlanReason =
  | 'calibrated'
  | 'prior'
  | 'override'
  | 'frozen'
  | 'grown'
  | 'decided'
  | 'short_list'
  | 'uncertain'
  | 'shadow'
  | 'bound_thinking'
  | 'thread'
  | 'stateful'
  | 'net_negative'
  | 'recall_off'
  | 'timeout'
  | 'unavailable'
  | 'invalid_plan'
  | 'budget_exhausted'
  | 'budget_unknown'
  | 'off';

/** The ranking method, which is embeddings or the faster keyword ranking. */
export type RoutingMethod = 'semantic' | 'keyword';

/** The request's intent, classified from its last turn. */
export type IntentClass = 'chat' | 'lookup' | 'act' | 'multi-step' | 'code' | 'continue';

export interface ToolCandidate {
  readonly name: string;
  /** The ranking score of the tool. Higher scores are better. Scores are comparable only within one plan. */
  readonly score: number;
  /** The tool's rank. The best tool has rank 1. */
  readonly rank: number;
  readonly forwarded: boolean;
  /** The reason why the tool is always forwarded, regardless of its score. */
  readonly alwaysIn?:
    'called' | 'tool_choice' | 'mentioned' | 'built_in' | 'cache_control' | 'core' | 'system_prompt';
}

/** A tool definition from a client. */
export interface ToolDescription {
  /** The tool's name. Null for a built-in tool without a name. */
  readonly name: string | null;
  readonly description: string;
  /** The JSON Schema of the tool's arguments, as the client wrote it, or null. */
  readonly parameters: unknown;
  /** Example requests that should select this tool (`x-svc-examples`). */
  readonly examples: readonly string[];
}
