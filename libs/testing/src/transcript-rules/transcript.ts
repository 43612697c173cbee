/** The chat formats with transcripts that can be checked. */
export type TranscriptFormat = 'chat-completions' | 'messages' | 'converse';

/** A message block, in a format-independent form. */
export type TranscriptBlock =
  | { readonly kind: 'text'; readonly text: string }
  /** Visible reasoning. The signature is empty if the request contains no signature. */
  | { readonly kind: 'reasoning'; readonly text: string; readonly signature: string }
  /** Reasoning without a signature, in a message field (`reasoning_content`). */
  | { readonly kind: 'unsigned'; readonly text: string }
  | { readonly kind: 'redacted'; readonly data: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string }
  | { readonly kind: 'result'; readonly id: string }
  | { readonly kind: 'other' };

export interface TranscriptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly blocks: readonly TranscriptBlock[];
}

export interface Transcript {
  readonly messages: readonly TranscriptMessage[];
  /**
   * Whether the request enables reasoning with a fixed budget. With a fixed budget, a turn must begin
   * with reasoning.
   */
  readonly isThinkingEnabled: boolean;
  /** Whether the field `tool_choice` forces a tool call. */
  readonly isForced: boolean;
  /** Names of the tools that the request defines. */
  readonly tools: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const asJson = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asJson) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads only the parts of a request that the provider rules check. */
export function readTranscript(format: TranscriptFormat, body: unknown): Transcript {
  const request = asJson(body);
  switch (format) {
    case 'messages':
      return readMessages(request);
    case 'converse':
      return readConverse(request);
    case 'chat-completions':
      return readChat(request);
  }
}

function readMessages(request: Json): Transcript {
  const choice = textOf(asJson(request['tool_choice'])['type']);
  return {
    messages: listOf(request['messages']).map(({ role, content }) => ({
      role: role === 'assistant' ? 'assistant' : role === 'system' ? 'system' : 'user',
      blocks:
        typeof content === 'string'
          ? [{ kind: 'text', text: content }]
          : listOf(content).map(readMessagesBlock),
    })),
    isThinkingEnabled: asJson(request['thinking'])['type'] === 'enabled',
    isForced: choice === 'any' || choice === 'tool',
    tools: listOf(request['tools']).map(({ name }) => textOf(name)),
  };
}

function readMessagesBlock(block: Json): TranscriptBlock {
  switch (block['type']) {
    case 'text':
      return { kind: 'text', text: textOf(block['text']) };
    case 'thinking':
      return { kind: 'reasoning', text: textOf(block['thinking']), signature: textOf(block['signature']) };
    case 'redacted_thinking':
      return { kind: 'redacted', data: textOf(block['data']) };
    case 'tool_use':
      return { kind: 'call', id: textOf(block['id']), name: textOf(block['name']) };
    case 'tool_result':
      return { kind: 'result', id: textOf(block['tool_use_id']) };
    default:
      return { kind: 'other' };
  }
}

function readConverse(request: Json): Transcript {
  const config = asJson(request['toolConfig']);
  const choice = asJson(config['toolChoice']);
  const fields = asJson(request['additionalModelRequestFields']);
  return {
    messages: listOf(request['messages']).map(({ role, content }) => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      blocks: listOf(content).map(readConverseBlock),
    })),
    isThinkingEnabled: asJson(fields['thinking'])['type'] === 'enabled',
    isForced: choice['any'] !== undefined || choice['tool'] !== undefined,
    tools: listOf(config['tools']).map(({ toolSpec }) => textOf(asJson(toolSpec)['name'])),
  };
}

function readConverseBlock(block: Json): TranscriptBlock {
  const { text, reasoningContent, toolUse, toolResult } = block;
  if (typeof text === 'string') return { kind: 'text', text };
  if (toolUse !== undefined)
    return { kind: 'call', id: textOf(asJson(toolUse)['toolUseId']), name: textOf(asJson(toolUse)['name']) };
  if (toolResult !== undefined) return { kind: 'result', id: textOf(asJson(toolResult)['toolUseId']) };
  if (reasoningContent === undefined) return { kind: 'other' };
  const { reasoningText, redactedContent } = asJson(reasoningContent);
  if (typeof redactedContent === 'string')
    return { kind: 'redacted', data: Buffer.from(redactedContent, 'base64').toString('latin1') };
  const reasoning = asJson(reasoningText);
  return { kind: 'reasoning', text: textOf(reasoning['text']), signature: textOf(reasoning['signature']) };
}

function readChat(request: Json): Transcript {
  const choice = request['tool_choice'];
  return {
    messages: listOf(request['messages']).map(readChatMessage),
    isThinkingEnabled: false,
    isForced: choice === 'required' || asJson(choice)['type'] === 'function',
    tools: listOf(request['tools']).map(({ function: body }) => textOf(asJson(body)['name'])),
  };
}

function readChatMessage(message: Json): TranscriptMessage {
  const { role, content } = message;
  const text: TranscriptBlock[] =
    typeof content === 'string' && content !== '' ? [{ kind: 'text', text: content }] : [];
  if (role === 'tool')
    return { role: 'user', blocks: [{ kind: 'result', id: textOf(message['tool_call_id']) }] };
  if (role !== 'assistant') return { role: role === 'user' ? 'user' : 'system', blocks: text };
  const unsigned = textOf(message['reasoning_content']);
  return {
    role: 'assistant',
    blocks: [
      ...(unsigned === '' ? [] : [{ kind: 'unsigned', text: unsigned } as const]),
      ...listOf(message['reasoning_details']).map(readReasoningDetail),
      ...text,
      ...listOf(message['tool_calls']).map(({ id, function: call }): TranscriptBlock => ({
        kind: 'call',
        id: textOf(id),
        name: textOf(asJson(call)['name']),
      })),
    ],
  };
}

function readReasoningDetail(detail: Json): TranscriptBlock {
  return detail['type'] === 'reasoning.encrypted'
    ? { kind: 'redacted', data: textOf(detail['data']) }
    : { kind: 'reasoning', text: textOf(detail['text']), signature: textOf(detail['signature']) };
}
