import type { PlannedFormat } from '@gateway/interchange';
import { EventStreamDecoder, SseDecoder, textHeader } from '@gateway/wire-formats';

/** The content of a response as an agent parses it. */
export interface ReadAnswer {
  /** The assistant message in the client's format, with all fields of the response. */
  readonly message: object;
  readonly said: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  readonly reason: string | null;
  /** The types of the content blocks, in order. In formats without content blocks, the list `blocks` is empty. */
  readonly blocks: readonly string[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The error message in the response body or the stream. */
  readonly error: string | null;
  /** Whether the response ends with the terminator that marks success in its format. */
  readonly isWhole: boolean;
  readonly text: string;
}

type Json = Record<string, unknown>;
const asJson = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export function readAnswer(format: PlannedFormat, text: string): ReadAnswer {
  const body = asJson(JSON.parse(text));
  const error = body['error'] === undefined && body['message'] === undefined ? null : text;
  const reader = readers[format];
  return { ...reader.whole(body), error, isWhole: error === null, text };
}

/** Parses a response stream like the providers' SDKs do. */
export function readStream(format: PlannedFormat, bytes: Buffer): ReadAnswer {
  return { ...readers[format].stream(bytes), text: bytes.toString('latin1') };
}

type Read = Omit<ReadAnswer, 'text' | 'error' | 'isWhole'>;

interface Reader {
  whole(body: Json): Read;
  stream(bytes: Buffer): Omit<ReadAnswer, 'text'>;
}

function readChat(body: Json): Read {
  const choice = asJson(listOf(body['choices'])[0]);
  const message = asJson(choice['message']);
  const usage = asJson(body['usage']);
  return {
    message,
    said: textOf(message['content']),
    calls: listOf(message['tool_calls']).map((call) => {
      const { name, arguments: given } = asJson(call['function']);
      return { id: textOf(call['id']), name: textOf(name), arguments: JSON.parse(textOf(given)) as unknown };
    }),
    reason: (choice['finish_reason'] as string | undefined) ?? null,
    blocks: [],
    inputTokens: Number(usage['prompt_tokens'] ?? -1),
    outputTokens: Number(usage['completion_tokens'] ?? -1),
  };
}

const joined: readonly string[] = ['content', 'reasoning_content', 'reasoning'];

/** Merges a stream delta into a message, like agents do. */
function addDelta(message: Json, delta: Json): void {
  for (const [name, value] of Object.entries(delta)) {
    if (joined.includes(name)) message[name] = textOf(message[name]) + textOf(value);
    else if (name === 'tool_calls') message[name] = listOf(value).reduce(addCall, listOf(message[name]));
    else if (name === 'reasoning_details')
      message[name] = listOf(value).reduce(addDetail, listOf(message[name]));
    else message[name] = value;
  }
}

function addCall(calls: Json[], { index, ...piece }: Json): Json[] {
  const known = calls[Number(index)];
  const body = asJson(piece['function']);
  if (known === undefined) return [...calls, { ...piece, function: { ...body } }];
  const target = asJson(known['function']);
  target['arguments'] = textOf(target['arguments']) + textOf(body['arguments']);
  return calls;
}

/** Adds a fragment of a reasoning block. All fragments of a reasoning block have the same index and type. */
function addDetail(details: Json[], piece: Json): Json[] {
  const known = details.find(({ index, type }) => index === piece['index'] && type === piece['type']);
  if (known === undefined) return [...details, { ...piece }];
  for (const [name, value] of Object.entries(piece))
    known[name] = name === 'text' ? textOf(known[name]) + textOf(value) : value;
  return details;
}

function streamChat(bytes: Buffer): Omit<ReadAnswer, 'text'> {
  const message: Json = {};
  let reason: string | null = null;
  let usage: Json = {};
  let error: string | null = null;
  let isWhole = false;
  for (const data of sseData(bytes)) {
    if (data === '[DONE]') {
      isWhole = true;
      continue;
    }
    const chunk = asJson(JSON.parse(data));
    if (chunk['error'] !== undefined) error = data;
    const choice = asJson(listOf(chunk['choices'])[0]);
    addDelta(message, asJson(choice['delta']));
    if (typeof choice['finish_reason'] === 'string') reason = choice['finish_reason'];
    if (chunk['usage'] !== undefined && chunk['usage'] !== null) usage = asJson(chunk['usage']);
  }
  const read = readChat({
    choices: [{ message: { content: null, ...message }, finish_reason: reason }],
    usage,
  });
  return { ...read, error, isWhole };
}

function sseData(bytes: Buffer): string[] {
  const decoder = new SseDecoder();
  return [...decoder.push(bytes), ...decoder.flush()].map(({ data }) => data);
}

function readMessages(body: Json): Read {
  const content = listOf(body['content']);
  const usage = asJson(body['usage']);
  return {
    message: { role: 'assistant', content },
    said: content.map(({ text }) => textOf(text)).join(''),
    calls: content.flatMap(({ type, id, name, input }) =>
      type === 'tool_use' ? [{ id: textOf(id), name: textOf(name), arguments: input }] : [],
    ),
    reason: (body['stop_reason'] as string | undefined) ?? null,
    blocks: content.map(({ type }) => textOf(type)),
    inputTokens: Number(usage['input_tokens'] ?? -1),
    outputTokens: Number(usage['output_tokens'] ?? -1),
  };
}

function streamMessages(bytes: Buffer): Omit<ReadAnswer, 'text'> {
  const content: Json[] = [];
  const end: Json = {};
  let usage: Json = {};
  let error: string | null = null;
  let isWhole = false;
  for (const data of sseData(bytes)) {
    const event = asJson(JSON.parse(data));
    const at = Number(event['index'] ?? -1);
    if (event['type'] === 'message_start') usage = asJson(asJson(event['message'])['usage']);
    if (event['type'] === 'content_block_start') {
      if (at !== content.length) throw new Error(`block ${at} starts after ${content.length} blocks`);
      content.push({ ...asJson(event['content_block']) });
    }
    if (event['type'] === 'content_block_delta') addBlockDelta(asJson(content[at]), asJson(event['delta']));
    if (event['type'] === 'content_block_stop') closeBlock(asJson(content[at]));
    if (event['type'] === 'message_delta') {
      Object.assign(end, event['delta']);
      usage = { ...usage, ...asJson(event['usage']) };
    }
    if (event['type'] === 'error') error = data;
    isWhole ||= event['type'] === 'message_stop';
  }
  return { ...readMessages({ content, usage, ...end }), error, isWhole };
}

function addBlockDelta(block: Json, delta: Json): void {
  if (delta['type'] === 'text_delta') block['text'] = textOf(block['text']) + textOf(delta['text']);
  if (delta['type'] === 'thinking_delta')
    block['thinking'] = textOf(block['thinking']) + textOf(delta['thinking']);
  if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
  if (delta['type'] === 'input_json_delta')
    block['input_json'] = textOf(block['input_json']) + textOf(delta['partial_json']);
}

function closeBlock(block: Json): void {
  const written = block['input_json'];
  delete block['input_json'];
  if (typeof written === 'string') block['input'] = JSON.parse(written) as unknown;
}

function readConverse(body: Json): Read {
  const message = asJson(asJson(body['output'])['message']);
  const content = listOf(message['content']);
  const usage = asJson(body['usage']);
  return {
    message,
    said: content.map(({ text }) => textOf(text)).join(''),
    calls: content.flatMap(({ toolUse }) => {
      if (toolUse === undefined) return [];
      const { toolUseId, name, input } = asJson(toolUse);
      return [{ id: textOf(toolUseId), name: textOf(name), arguments: input }];
    }),
    reason: (body['stopReason'] as string | undefined) ?? null,
    blocks: content.map((block) => Object.keys(block)[0] ?? ''),
    inputTokens: Number(usage['inputTokens'] ?? -1),
    outputTokens: Number(usage['outputTokens'] ?? -1),
  };
}

function streamConverse(bytes: Buffer): Omit<ReadAnswer, 'text'> {
  const content: Json[] = [];
  const body: Json = {};
  let error: string | null = null;
  let isWhole = false;
  for (const frame of new EventStreamDecoder().push(bytes)) {
    const payload = asJson(JSON.parse(Buffer.from(frame.payload).toString('utf8')));
    const type = textHeader(frame, ':event-type');
    const at = Number(payload['contentBlockIndex'] ?? -1);
    if (type === undefined) error = `${textHeader(frame, ':exception-type')}: ${JSON.stringify(payload)}`;
    if (type === 'contentBlockStart') content[at] = structuredClone(asJson(payload['start']));
    if (type === 'contentBlockDelta') addConverseDelta((content[at] ??= {}), asJson(payload['delta']));
    if (type === 'contentBlockStop') closeConverseBlock(asJson(content[at]));
    if (type === 'messageStop') body['stopReason'] = payload['stopReason'];
    if (type === 'metadata') body['usage'] = payload['usage'];
    isWhole ||= type === 'messageStop';
  }
  if (content.includes(undefined as never)) throw new Error('the block indexes have a gap');
  return {
    ...readConverse({ ...body, output: { message: { role: 'assistant', content } } }),
    error,
    isWhole,
  };
}

function addConverseDelta(block: Json, delta: Json): void {
  if (typeof delta['text'] === 'string') block['text'] = textOf(block['text']) + delta['text'];
  const call = asJson(block['toolUse']);
  const { input } = asJson(delta['toolUse']);
  if (input !== undefined) call['input'] = textOf(call['input']) + textOf(input);
  const { text, signature, redactedContent } = asJson(delta['reasoningContent']);
  if (redactedContent !== undefined) block['reasoningContent'] = { redactedContent };
  if (text === undefined && signature === undefined) return;
  const reasoning = asJson(asJson(block['reasoningContent'])['reasoningText']);
  block['reasoningContent'] = {
    reasoningText: {
      text: textOf(reasoning['text']) + textOf(text),
      ...(signature === undefined && reasoning['signature'] === undefined
        ? {}
        : { signature: textOf(reasoning['signature']) + textOf(signature) }),
    },
  };
}

function closeConverseBlock(block: Json): void {
  const call = asJson(block['toolUse']);
  if (typeof call['input'] === 'string') call['input'] = JSON.parse(call['input']) as unknown;
}

const readers: { readonly [Format in PlannedFormat]: Reader } = {
  'chat-completions': { whole: readChat, stream: streamChat },
  messages: { whole: readMessages, stream: streamMessages },
  converse: { whole: readConverse, stream: streamConverse },
};
