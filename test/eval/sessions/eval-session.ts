import type { ToolDefinition } from '@gateway/contracts';

/** One call of a model in a recorded session. */
export interface EvalRequest {
  /** The user's turns up to now. */
  readonly userTurns: readonly string[];
  /** Of what came since the request before, the model's own words left out. */
  readonly newTokens: number;
  /** Of what the model answers. */
  readonly outputTokens: number;
  /** The tool that the answer calls. */
  readonly needed: string | undefined;
}

/** A session of an agent, request by request. */
export interface EvalSession {
  readonly id: string;
  readonly source: 'apibank' | 'bfcl_multi_turn' | 'airline';
  readonly systemTokens: number;
  /** The tools that it came with. */
  readonly tools: readonly ToolDefinition[];
  readonly requests: readonly EvalRequest[];
}

/** A list of tools that a session is replayed against. */
export interface EvalList {
  readonly tools: readonly ToolDefinition[];
  readonly tokens: readonly number[];
}
