/** A tool in a format-independent form. */
export interface PlaygroundTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema for the tool's arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON written by the model. While the response is arriving, this JSON may be incomplete. */
  readonly argumentsJson: string;
  /** The index of the tool call in stream chunks. Undefined if the stream chunks contain no index for the tool call. */
  readonly place?: number;
}

/** A conversation turn in a format-independent form. */
export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | {
      readonly role: 'tool';
      readonly results: readonly { readonly call: ToolCall; readonly text: string }[];
    };

export const chatFormats = ['chat-completions', 'messages', 'converse'] as const;
export type ChatFormat = (typeof chatFormats)[number];

/** The tool calls in the last assistant turn for which a result is still missing. */
export function pendingCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.at(-1);
  return last?.role === 'assistant' ? last.calls : [];
}

/**
 * Adds the typed message to the conversation. The text is either the tool result for every pending tool call,
 * or a user message.
 */
export function addInput(turns: readonly Turn[], text: string): Turn[] {
  const calls = pendingCalls(turns);
  if (calls.length === 0) return [...turns, { role: 'user', text }];
  return [...turns, { role: 'tool', results: calls.map((call) => ({ call, text })) }];
}
