import { encodeFrame } from '../../e2e/bedrock.fixture.ts';
import { denied, permitted, type Endpoint } from './evasive-requests.ts';
import type { Random } from './random.ts';

export interface ProviderAnswer {
  readonly contentType: string;
  readonly bytes: Buffer;
}

type Json = Record<string, unknown>;

/** A tool call in a response. `server` calls are run by the provider itself. */
interface Call {
  readonly name: string;
  readonly isServers: boolean;
}

function drawParts(random: Random): (string | Call)[] {
  return random.list(4, () => {
    if (random.chance(0.3)) return random.pick(['Well.', ' ', 'erase is a word']);
    const name = random.chance(0.5) ? random.pick(denied) : random.pick(permitted);
    return { name, isServers: random.chance(0.2) };
  });
}

/** Writes a streaming or non-streaming provider response with text and with permitted and denied tool calls. */
export function writeAnswer(random: Random, endpoint: Endpoint, isStream: boolean): ProviderAnswer {
  const parts = drawParts(random);
  switch (endpoint) {
    case 'chat-completions':
      return isStream ? streamChat(random, parts) : plainChat(random, parts);
    case 'messages':
      return isStream ? sse(messageEvents(parts)) : json(message(parts));
    case 'converse':
      return isStream ? streamConverse(parts) : json(plainConverse(parts));
    case 'responses':
      return isStream ? sse(responseEvents(parts)) : json(response(parts));
  }
}

const json = (body: Json): ProviderAnswer => ({
  contentType: 'application/json',
  bytes: Buffer.from(JSON.stringify(body)),
});

function sse(events: readonly (Json | '[DONE]')[]): ProviderAnswer {
  const frames = events.map((event) => {
    if (event === '[DONE]') return 'data: [DONE]\n\n';
    const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return { contentType: 'text/event-stream', bytes: Buffer.from(frames.join('')) };
}

const isText = (part: string | Call): part is string => typeof part === 'string';
const isCall = (part: string | Call): part is Call => typeof part !== 'string';

function plainChat(random: Random, parts: readonly (string | Call)[]): ProviderAnswer {
  const choices = Array.from({ length: 1 + random.below(2) }, (_, index) => {
    const calls = parts.filter(isCall);
    const [first] = calls;
    const legacy = random.chance(0.2) && first !== undefined;
    const message = {
      role: 'assistant',
      content: parts.filter(isText).join('') || null,
      ...(legacy ? { function_call: { name: first.name, arguments: '{}' } } : {}),
      ...(!legacy && calls.length > 0
        ? { tool_calls: calls.map((call, at) => chatCall(random, call.name, at)) }
        : {}),
    };
    return { index, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' };
  });
  return json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices });
}

function chatCall(random: Random, name: string, at: number): Json {
  const id = `call_${at}`;
  return random.chance(0.2)
    ? { id, type: 'custom', custom: { name, input: 'x' } }
    : { id, type: 'function', function: { name, arguments: '{}' } };
}

function streamChat(random: Random, parts: readonly (string | Call)[]): ProviderAnswer {
  const chunk = (delta: Json, finish: string | null = null): Json => ({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: random.chance(0.9) ? 0 : 1, delta, finish_reason: finish }],
  });
  let calls = 0;
  const chunks = parts.flatMap((part) => {
    if (isText(part)) return [chunk({ content: part })];
    if (random.chance(0.1))
      return [
        chunk({ function_call: { name: part.name, arguments: '' } }),
        chunk({ function_call: { arguments: '{}' } }),
      ];
    const index = calls++;
    const call = { index, ...chatCall(random, part.name, index) };
    if (!random.chance(0.2))
      return [
        chunk({ tool_calls: [call] }),
        chunk({ tool_calls: [{ index, function: { arguments: ' ' } }] }),
      ];
    // Tool names are split into two pieces, which clients join.
    const cut = random.below(part.name.length);
    const piece = (name: string): Json =>
      chunk({
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
      });
    return [piece(part.name.slice(0, cut)), piece(part.name.slice(cut))];
  });
  return sse([...chunks, chunk({}, calls > 0 ? 'tool_calls' : 'stop'), '[DONE]']);
}

function messageBlock(part: string | Call, index: number): Json {
  if (isText(part)) return { type: 'text', text: part };
  const type = part.isServers ? (part.name === 'mcp' ? 'mcp_tool_use' : 'server_tool_use') : 'tool_use';
  const server = type === 'mcp_tool_use' ? { server_name: 'shop' } : {};
  return { type, id: `tu_${index}`, name: part.name, input: {}, ...server };
}

function message(parts: readonly (string | Call)[]): Json {
  const calls = parts.filter(isCall);
  return {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: parts.map(messageBlock) },
    ...{ stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 0 } },
  };
}

function messageEvents(parts: readonly (string | Call)[]): Json[] {
  const whole = message(parts);
  return [
    { type: 'message_start', message: { ...whole, content: [], stop_reason: null } },
    ...parts.flatMap((part, index) => {
      const block = messageBlock(part, index);
      const start = {
        type: 'content_block_start',
        index,
        content_block: isText(part) ? { type: 'text', text: '' } : block,
      };
      const delta = isText(part)
        ? { type: 'text_delta', text: part }
        : { type: 'input_json_delta', partial_json: '{}' };
      return [start, { type: 'content_block_delta', index, delta }, { type: 'content_block_stop', index }];
    }),
    {
      type: 'message_delta',
      delta: { stop_reason: whole['stop_reason'], stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ];
}

function converseCall({ name, isServers }: Call, index: number): Json {
  return { toolUseId: `t_${index}`, name, ...(isServers ? { type: 'server_tool_use' } : {}) };
}

function plainConverse(parts: readonly (string | Call)[]): Json {
  const content = parts.map((part, index) =>
    isText(part) ? { text: part } : { toolUse: { ...converseCall(part, index), input: {} } },
  );
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: parts.every(isText) ? 'end_turn' : 'tool_use',
    ...{ usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } },
  };
}

function streamConverse(parts: readonly (string | Call)[]): ProviderAnswer {
  const blocks = parts.flatMap((part, contentBlockIndex): [string, Json][] => {
    const delta = isText(part) ? { text: part } : { toolUse: { input: '{}' } };
    return [
      ...(isText(part)
        ? []
        : [
            [
              'contentBlockStart',
              { contentBlockIndex, start: { toolUse: converseCall(part, contentBlockIndex) } },
            ] as [string, Json],
          ]),
      ['contentBlockDelta', { contentBlockIndex, delta }],
      ['contentBlockStop', { contentBlockIndex }],
    ];
  });
  const events: [string, Json][] = [
    ['messageStart', { role: 'assistant' }],
    ...blocks,
    ['messageStop', { stopReason: parts.every(isText) ? 'end_turn' : 'tool_use' }],
    ['metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } }],
  ];
  const bytes = Buffer.concat(events.map(([type, payload]) => encodeFrame(type, payload)));
  return { contentType: 'application/vnd.amazon.eventstream', bytes };
}

function item(part: string | Call, index: number): Json {
  if (isText(part))
    return {
      type: 'message',
      id: `i_${index}`,
      role: 'assistant',
      content: [{ type: 'output_text', text: part, annotations: [] }],
    };
  if (part.name === 'mcp')
    return { type: 'mcp_call', id: `i_${index}`, server_label: 'shop', name: 'read', arguments: '{}' };
  if (part.name === 'web_search' || part.name === 'code_interpreter')
    return { type: `${part.name}_call`, id: `i_${index}` };
  const type = part.isServers ? 'custom_tool_call' : 'function_call';
  return { type, id: `i_${index}`, call_id: `c_${index}`, name: part.name, arguments: '{}', input: '' };
}

function response(parts: readonly (string | Call)[]): Json {
  return { id: 'resp_1', object: 'response', status: 'completed', output: parts.map(item) };
}

function responseEvents(parts: readonly (string | Call)[]): Json[] {
  const whole = response(parts);
  return [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
    ...parts.flatMap((part, output_index) => [
      { type: 'response.output_item.added', output_index, item: item(part, output_index) },
      {
        type: isText(part) ? 'response.output_text.delta' : 'response.function_call_arguments.delta',
        output_index,
        item_id: `i_${output_index}`,
        delta: 'd',
      },
      { type: 'response.output_item.done', output_index, item: item(part, output_index) },
    ]),
    { type: 'response.completed', response: whole },
  ];
}
