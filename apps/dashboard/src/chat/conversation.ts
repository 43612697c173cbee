/** A tool as it was pasted, whatever its format was. */
export interface PlaygroundTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it; may be broken off. */
  readonly argumentsJson: string;
  /** By which number chunks of a stream name it, where they do. */
  readonly place?: number;
}

/** What is said in a playground, in no format yet. */
export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | {
      readonly role: 'tool';
      readonly results: readonly { readonly call: ToolCall; readonly text: string }[];
    };

export const chatFormats = ['chat-completions', 'messages', 'converse'] as const;
export type ChatFormat = (typeof chatFormats)[number];

/** The calls that wait for a result: those of the last answer. */
export function pendingCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.at(-1);
  return last?.role === 'assistant' ? last.calls : [];
}

/** The conversation with what was typed: the result of every call that waits for one, else a message. */
export function addInput(turns: readonly Turn[], text: string): Turn[] {
  const calls = pendingCalls(turns);
  if (calls.length === 0) return [...turns, { role: 'user', text }];
  return [...turns, { role: 'tool', results: calls.map((call) => ({ call, text })) }];
}
