import { EventStreamDecoder, textHeader } from '@gateway/wire-formats';

export type StreamFormat = 'chat-completions' | 'messages' | 'converse';

/**
 * What a stream frame means to a client. A frame contains response content, ends a response, reports a
 * failure, or has no meaning.
 */
export interface ReadFrame {
  readonly kind: 'part' | 'end' | 'error' | 'comment';
  /** The offset just after the frame's last byte. */
  readonly end: number;
}

/**
 * Reads a stream as strictly as the strictest of the official clients. Throws an error for an unparseable
 * frame and for an unterminated frame.
 */
export function readFrames(format: StreamFormat, bytes: Buffer): ReadFrame[] {
  return format === 'converse' ? readBinaryFrames(bytes) : readSseFrames(format, bytes);
}

function readSseFrames(format: StreamFormat, bytes: Buffer): ReadFrame[] {
  const text = bytes.toString('latin1');
  const frames: ReadFrame[] = [];
  let start = 0;
  for (const { index, 0: blank } of text.matchAll(/\r\n\r\n|\n\n/g)) {
    const end = index + blank.length;
    frames.push({ kind: kindOf(format, bytes.toString('utf8', start, index)), end });
    start = end;
  }
  if (start < bytes.length)
    throw new Error(`the stream ends within a frame: ${text.slice(start, start + 200)}`);
  return frames;
}

function kindOf(format: StreamFormat, frame: string): ReadFrame['kind'] {
  const lines = frame.split(/\r?\n/);
  const field = (name: string): string[] =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart());
  const data = field('data').join('\n');
  if (data === '') return 'comment';
  if (format === 'chat-completions' && data === '[DONE]') return 'end';
  const value = JSON.parse(data) as { type?: string; error?: unknown };
  const [event] = field('event');
  if (format === 'messages' && event !== undefined && event !== value.type)
    throw new Error(`the event ${event} has data of the type ${String(value.type)}`);
  if (value.error !== undefined || value.type === 'error') return 'error';
  return value.type === 'message_stop' ? 'end' : 'part';
}

function readBinaryFrames(bytes: Buffer): ReadFrame[] {
  const decoder = new EventStreamDecoder();
  const frames: ReadFrame[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = start + bytes.readUInt32BE(start);
    const [message] = [...decoder.push(bytes.subarray(start, end))];
    if (message === undefined) throw new Error('the stream ends within a frame');
    const isEvent = textHeader(message, ':message-type') === 'event';
    const isEnd = textHeader(message, ':event-type') === 'messageStop';
    frames.push({ kind: isEvent ? (isEnd ? 'end' : 'part') : 'error', end });
    start = end;
  }
  return frames;
}
