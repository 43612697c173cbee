import { EventStreamDecoder, SseDecoder, textHeader } from '@gateway/wire-formats';

export type ClientName = 'chat-completions' | 'messages' | 'converse';

/** A stream's content as a client receives it. */
export interface HeardStream {
  readonly text: string;
  readonly ends: number;
  readonly errors: readonly string[];
  readonly frames: number;
}

type Members = Record<string, unknown>;
const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};
const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

interface Heard {
  readonly isEnd: boolean;
  readonly text: string;
  readonly error: string | undefined;
}

/**
 * Parses a rendered stream. Throws an error unless the stream consists of complete frames with valid
 * JSON.
 */
export function hear(format: ClientName, bytes: Buffer): HeardStream {
  const heard = format === 'converse' ? hearMessages(bytes) : hearEvents(format, bytes);
  return {
    text: heard.map(({ text }) => text).join(''),
    ends: heard.filter(({ isEnd }) => isEnd).length,
    errors: heard.flatMap(({ error }) => (error === undefined ? [] : [error])),
    frames: heard.length,
  };
}

function hearEvents(format: ClientName, bytes: Buffer): Heard[] {
  const decoder = new SseDecoder();
  const frames = decoder.push(bytes);
  if (decoder.flush().length > 0) throw new Error('the stream ends within a frame');
  return frames.map(({ event, data }) => {
    if (data === '[DONE]') return { isEnd: true, text: '', error: undefined };
    const value = members(JSON.parse(data));
    if (format === 'messages' && event !== value['type'])
      throw new Error(`the event ${event} has data of another type`);
    return format === 'messages' ? hearMessagesEvent(value) : hearChunk(value);
  });
}

function hearChunk(value: Members): Heard {
  const choices = Array.isArray(value['choices']) ? value['choices'].map(members) : [];
  const error = value['error'] === undefined ? undefined : asText(members(value['error'])['message']);
  const told = choices.map(({ delta }) => asText(members(delta)['content'])).join('');
  return { isEnd: false, text: told, error };
}

function hearMessagesEvent(value: Members): Heard {
  const delta = members(value['delta']);
  const start = members(value['content_block']);
  const told = delta['type'] === 'text_delta' ? delta['text'] : start['type'] === 'text' ? start['text'] : '';
  const error = value['type'] === 'error' ? asText(members(value['error'])['message']) : undefined;
  return { isEnd: value['type'] === 'message_stop', text: asText(told), error };
}

function hearMessages(bytes: Buffer): Heard[] {
  const decoder = new EventStreamDecoder();
  const messages = [...decoder.push(bytes)];
  if (decoder.pendingBytes > 0) throw new Error('the stream ends within a frame');
  return messages.map((message) => {
    const value = members(JSON.parse(Buffer.from(message.payload).toString('utf8')));
    const isError = textHeader(message, ':message-type') !== 'event';
    return {
      isEnd: textHeader(message, ':event-type') === 'messageStop',
      text: asText(members(value['delta'])['text']),
      error: isError ? asText(value['message']) : undefined,
    };
  });
}
