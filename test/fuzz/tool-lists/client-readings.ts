import { EventStreamDecoder } from '@gateway/wire-formats';
import type { Endpoint } from './evasive-requests.ts';

type Json = Record<string, unknown>;
const fields = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(fields) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The content of a response as a client reads it. */
export interface ClientReading {
  /** Names of the called tools. */
  readonly called: readonly string[];
  /** Whether the response contains text, a tool call or an end event, without which an agent cannot continue. */
  readonly isComplete: boolean;
}

/** Reads a response like an SDK does. */
export function readAnswer(endpoint: Endpoint, bytes: Buffer, isStream: boolean): ClientReading {
  if (!isStream) return readPlain(endpoint, fields(JSON.parse(bytes.toString('utf8'))));
  if (endpoint === 'converse') return readConverseStream(bytes);
  const data = bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  const events = data.filter((each) => each !== '[DONE]').map((each) => fields(JSON.parse(each)));
  if (endpoint === 'chat-completions')
    return { called: readChunks(events), isComplete: data.at(-1) === '[DONE]' };
  if (endpoint === 'messages') {
    const blocks = events.map((event) => fields(event['content_block']));
    return { called: blocks.flatMap(readBlock), isComplete: events.at(-1)?.['type'] === 'message_stop' };
  }
  const last = fields(events.at(-1)?.['response']);
  const seen = [...events.map((event) => fields(event['item'])), ...list(last['output'])];
  return { called: seen.flatMap(readItem), isComplete: list(last['output']).length > 0 && hasNoGaps(events) };
}

function readPlain(endpoint: Endpoint, body: Json): ClientReading {
  if (endpoint === 'chat-completions') {
    const messages = list(body['choices']).map((choice) => fields(choice['message']));
    const called = messages.flatMap((message) => [
      ...list(message['tool_calls']).flatMap((call) => [
        ...nameIn(call['function']),
        ...nameIn(call['custom']),
      ]),
      ...nameIn(message['function_call']),
    ]);
    return { called, isComplete: messages.length > 0 };
  }
  if (endpoint === 'messages')
    return { called: list(body['content']).flatMap(readBlock), isComplete: text(body['stop_reason']) !== '' };
  if (endpoint === 'responses') return { called: list(body['output']).flatMap(readItem), isComplete: true };
  const content = list(fields(fields(body['output'])['message'])['content']);
  return {
    called: content.flatMap((block) => nameIn(block['toolUse'])),
    isComplete: text(body['stopReason']) !== '',
  };
}

const nameIn = (value: unknown): string[] =>
  text(fields(value)['name']) === '' ? [] : [text(fields(value)['name'])];

/**
 * Reads the tool names in a chat-completions stream. Some SDKs keep the first piece of a name, and others
 * join the pieces.
 */
function readChunks(events: readonly Json[]): string[] {
  const joined = new Map<string, string>();
  const pieces: string[] = [];
  for (const choice of events.flatMap((event) => list(event['choices']))) {
    const delta = fields(choice['delta']);
    const calls = [
      ...list(delta['tool_calls']),
      ...(delta['function_call'] === undefined ? [] : [{ index: 'f', function: delta['function_call'] }]),
    ];
    for (const call of calls.map(fields)) {
      const name = nameIn(call['function'])[0] ?? nameIn(call['custom'])[0] ?? '';
      const key = `${String(choice['index'])}/${String(call['index'])}`;
      joined.set(key, (joined.get(key) ?? '') + name);
      if (name !== '') pieces.push(name);
    }
  }
  return [...pieces, ...joined.values()].filter((name) => name !== '');
}

function readBlock(block: Json): string[] {
  const isCall = ['tool_use', 'server_tool_use', 'mcp_tool_use'].includes(text(block['type']));
  return isCall ? [text(block['name']), ...(block['type'] === 'mcp_tool_use' ? ['mcp'] : [])] : [];
}

function readItem(item: Json): string[] {
  const type = text(item['type']);
  if (type === 'function_call' || type === 'custom_tool_call') return [text(item['name'])];
  if (type === 'mcp_call') return ['mcp', text(item['server_label']), text(item['name'])];
  return type.endsWith('_call') ? [type.slice(0, -'_call'.length)] : [];
}

/**
 * Returns true if the item indexes have no gaps. SDKs build a list of items, and look up an item by its
 * index.
 */
function hasNoGaps(events: readonly Json[]): boolean {
  const added = events.filter(({ type }) => type === 'response.output_item.added');
  return added.every((event, at) => event['output_index'] === at);
}

function readConverseStream(bytes: Buffer): ClientReading {
  const messages = [...new EventStreamDecoder().push(bytes)];
  const events = messages.map(({ headers, payload }) => ({
    type: headers.get(':event-type')?.value,
    body: fields(JSON.parse(Buffer.from(payload).toString('utf8'))),
  }));
  return {
    called: events.flatMap(({ body }) => nameIn(fields(body['start'])['toolUse'])),
    isComplete: events.some(({ type }) => type === 'messageStop'),
  };
}
