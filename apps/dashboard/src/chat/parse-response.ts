import type { ChatFormat, ToolCall } from './conversation.ts';
import type { Frame } from './read-stream.ts';

/** The part of a response that has already arrived. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The reason why the model stopped, as the response format names it. */
  readonly stopReason: string | null;
  /** The error message in an error event of the stream. */
  readonly error: string | null;
}

export const noAnswer: Answer = { text: '', calls: [], stopReason: null, error: null };

/** A JSON object in which any field may be missing. */
type Loose = Readonly<Record<string, unknown>>;

/** Parses a non-streaming response. */
export function readPlainAnswer(format: ChatFormat, body: unknown): Answer {
  switch (format) {
    case 'chat-completions': {
      const choice = object(list(object(body)['choices'])[0]);
      const message = object(choice['message']);
      const calls = list(message['tool_calls']).map((call) => {
        const called = object(object(call)['function']);
        return toCall(object(call)['id'], called['name'], text(called['arguments']));
      });
      return {
        ...noAnswer,
        text: text(message['content']),
        calls,
        stopReason: word(choice['finish_reason']),
      };
    }
    case 'messages': {
      const blocks = list(object(body)['content']).map(object);
      const calls = blocks
        .filter(({ type }) => type === 'tool_use')
        .map((block) => toCall(block['id'], block['name'], JSON.stringify(block['input'])));
      const said = blocks.map((block) => text(block['text'])).join('');
      return { ...noAnswer, text: said, calls, stopReason: word(object(body)['stop_reason']) };
    }
    case 'converse': {
      const message = object(object(object(body)['output'])['message']);
      const blocks = list(message['content']).map(object);
      const calls = blocks
        .map((block) => object(block['toolUse']))
        .filter((use) => use['name'] !== undefined)
        .map((use) => toCall(use['toolUseId'], use['name'], JSON.stringify(use['input'])));
      const said = blocks.map((block) => text(block['text'])).join('');
      return { ...noAnswer, text: said, calls, stopReason: word(object(body)['stopReason']) };
    }
  }
}

/** Adds one stream event to the response. */
export function addFrame(format: ChatFormat, answer: Answer, { event, data }: Frame): Answer {
  const body = object(data);
  switch (format) {
    case 'chat-completions':
      return addCompletionChunk(answer, body);
    case 'messages':
      return addMessagesEvent(answer, body);
    case 'converse':
      return addConverseEvent(answer, event, body);
  }
}

function addCompletionChunk(answer: Answer, chunk: Loose): Answer {
  if (chunk['error'] !== undefined) return { ...answer, error: errorText(chunk) };
  const choice = object(list(chunk['choices'])[0]);
  const delta = object(choice['delta']);
  let next = addText(answer, text(delta['content']));
  for (const part of list(delta['tool_calls']).map(object)) {
    const called = object(part['function']);
    // The provider chooses the indexes of tool calls, and the first index may differ from zero.
    const place = typeof part['index'] === 'number' ? part['index'] : next.calls.length;
    const known = next.calls.findIndex((call) => call.place === place);
    const at = known === -1 ? next.calls.length : known;
    next = addCall(next, at, { ...toCall(part['id'], called['name'], text(called['arguments'])), place });
  }
  return { ...next, stopReason: word(choice['finish_reason']) ?? next.stopReason };
}

function addMessagesEvent(answer: Answer, event: Loose): Answer {
  const delta = object(event['delta']);
  switch (event['type']) {
    case 'content_block_start': {
      const block = object(event['content_block']);
      if (block['type'] !== 'tool_use') return addText(answer, text(block['text']));
      return addCall(answer, answer.calls.length, toCall(block['id'], block['name'], ''));
    }
    case 'content_block_delta':
      if (delta['type'] === 'input_json_delta') return addArguments(answer, text(delta['partial_json']));
      return addText(answer, text(delta['text']));
    case 'message_delta':
      return { ...answer, stopReason: word(delta['stop_reason']) ?? answer.stopReason };
    case 'error':
      return { ...answer, error: errorText(event) };
    default:
      return answer;
  }
}

function addConverseEvent(answer: Answer, event: string, body: Loose): Answer {
  switch (event) {
    case 'contentBlockStart': {
      const use = object(object(body['start'])['toolUse']);
      return use['name'] === undefined
        ? answer
        : addCall(answer, answer.calls.length, toCall(use['toolUseId'], use['name'], ''));
    }
    case 'contentBlockDelta': {
      const delta = object(body['delta']);
      const use = object(delta['toolUse']);
      return use['input'] === undefined
        ? addText(answer, text(delta['text']))
        : addArguments(answer, text(use['input']));
    }
    case 'messageStop':
      return { ...answer, stopReason: word(body['stopReason']) };
    default:
      return event.endsWith('xception') || event.endsWith('rror')
        ? { ...answer, error: errorText(body) }
        : answer;
  }
}

function addText(answer: Answer, more: string): Answer {
  return more === '' ? answer : { ...answer, text: answer.text + more };
}

/** Adds a new tool call to the end of the list, or appends arguments to an existing tool call. */
function addCall(answer: Answer, at: number, call: ToolCall): Answer {
  const calls = [...answer.calls];
  const begun = calls[at];
  calls[at] =
    begun === undefined ? call : { ...begun, argumentsJson: begun.argumentsJson + call.argumentsJson };
  return { ...answer, calls };
}

function addArguments(answer: Answer, json: string): Answer {
  return addCall(answer, Math.max(0, answer.calls.length - 1), toCall('', '', json));
}

function toCall(id: unknown, name: unknown, argumentsJson: string): ToolCall {
  return { id: text(id), name: text(name), argumentsJson };
}

function errorText(body: Loose): string {
  return text(object(body['error'])['message']) || text(body['message']) || 'The response was interrupted.';
}

function object(value: unknown): Loose {
  return typeof value === 'object' && value !== null ? (value as Loose) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function word(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
