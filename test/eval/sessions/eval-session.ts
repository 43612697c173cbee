import type { ToolDefinition } from '@gateway/contracts';

/** One model call recorded in a session. */
export interface EvalRequest {
  /** The texts of all user turns before the request. */
  readonly userTurns: readonly string[];
  /** The number of tokens that the client added after the previous response. */
  readonly newTokens: number;
  /** The tokens of the model's response. */
  readonly outputTokens: number;
  /** The name of the tool that the response calls. */
  readonly needed: string | undefined;
}

/** An agent session as a sequence of requests. */
export interface EvalSession {
  readonly id: string;
  readonly source: 'apibank' | 'bfcl_multi_turn' | 'airline';
  readonly systemTokens: number;
  /** The tools that the recorded session offered. */
  readonly tools: readonly ToolDefinition[];
  readonly requests: readonly EvalRequest[];
}

/** A tool list that is used to replay a session. */
export interface EvalList {
  readonly tools: readonly ToolDefinition[];
  readonly tokens: readonly number[];
  /** The tokens of each tool's name and description. */
  readonly headTokens: readonly number[];
}
