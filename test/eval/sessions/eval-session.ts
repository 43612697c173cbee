import type { ToolDefinition } from '@gateway/contracts';

/** One model call in a recorded session. */
export interface EvalRequest {
  /** The user's turns up to this request. */
  readonly userTurns: readonly string[];
  /** Tokens added since the previous request, except the model's own output. */
  readonly newTokens: number;
  /** The tokens of the model's response. */
  readonly outputTokens: number;
  /** The tool that the response calls. */
  readonly needed: string | undefined;
}

/** An agent session as a sequence of requests. */
export interface EvalSession {
  readonly id: string;
  readonly source: 'apibank' | 'bfcl_multi_turn' | 'airline';
  readonly systemTokens: number;
  /** The session's own tools. */
  readonly tools: readonly ToolDefinition[];
  readonly requests: readonly EvalRequest[];
}

/** A list of tools used to replay a session. */
export interface EvalList {
  readonly tools: readonly ToolDefinition[];
  readonly tokens: readonly number[];
}
