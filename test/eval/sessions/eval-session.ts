import type { ToolDefinition } from '@gateway/contracts';

/** One model call of a recorded session. */
export interface EvalRequest {
  /** The user's turns so far. */
  readonly userTurns: readonly string[];
  /** New tokens since the previous request, without the model's own words. */
  readonly newTokens: number;
  /** Tokens of the model's answer. */
  readonly outputTokens: number;
  /** The tool that the response calls. */
  readonly needed: string | undefined;
}

/** A session of an agent, request by request. */
export interface EvalSession {
  readonly id: string;
  readonly source: 'apibank' | 'bfcl_multi_turn' | 'airline';
  readonly systemTokens: number;
  /** Its own tools. */
  readonly tools: readonly ToolDefinition[];
  readonly requests: readonly EvalRequest[];
}

/** A list of tools for replaying a session. */
export interface EvalList {
  readonly tools: readonly ToolDefinition[];
  readonly tokens: readonly number[];
}
