/**
 * One event in a response stream, with its JSON. The event has a name if the format sends event names
 * separately.
 */
export interface Frame {
  readonly event: string;
  readonly data: unknown;
}

/**
 * Reads the events of a `text/event-stream` (HTML standard, §9.2), except `[DONE]`. The generator ends when
 * the stream ends.
 */
export async function* readServerSentEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  let rest = '';
  for await (const text of chunksOf(decodeText(stream))) {
    const blocks = (rest + text).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const frame = parseBlock(block);
      if (frame !== undefined) yield frame;
    }
  }
}

function parseBlock(block: string): Frame | undefined {
  const fieldOf = (name: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
  const data = fieldOf('data').join('\n');
  if (data === '' || data === '[DONE]') return undefined;
  return { event: fieldOf('event').at(-1) ?? 'message', data: JSON.parse(data) as unknown };
}

const preludeBytes = 12;
const crcBytes = 4;
const stringHeader = 7;

/**
 * Reads the messages of an `application/vnd.amazon.eventstream`. A message consists of two lengths, a checksum,
 * headers, the payload and another checksum. The lengths (total and headers) and the first checksum have 4
 * bytes each. Checksums are not verified, because TCP already protects the data. Only string headers are
 * parsed, because the gateway sends no other headers.
 */
export async function* readEventStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  let rest = new Uint8Array();
  for await (const chunk of chunksOf(stream)) {
    rest = concatenate(rest, chunk);
    for (let bytes = messageBytes(rest); bytes !== undefined; bytes = messageBytes(rest)) {
      yield parseMessage(rest.subarray(0, bytes));
      rest = rest.subarray(bytes);
    }
  }
}

function messageBytes(buffer: Uint8Array): number | undefined {
  if (buffer.length < preludeBytes) return undefined;
  const bytes = new DataView(buffer.buffer, buffer.byteOffset).getUint32(0);
  return buffer.length < bytes ? undefined : bytes;
}

function parseMessage(message: Uint8Array): Frame {
  const headerBytes = new DataView(message.buffer, message.byteOffset).getUint32(4);
  const headers = parseHeaders(message.subarray(preludeBytes, preludeBytes + headerBytes));
  const payload = message.subarray(preludeBytes + headerBytes, message.length - crcBytes);
  const text = new TextDecoder().decode(payload);
  return {
    event: headers.get(':event-type') ?? headers.get(':exception-type') ?? 'message',
    data: text === '' ? {} : (JSON.parse(text) as unknown),
  };
}

function parseHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decode = (from: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(from, from + length));
  let at = 0;
  while (at < bytes.length) {
    const nameLength = view.getUint8(at);
    const name = decode(at + 1, nameLength);
    at += 1 + nameLength;
    if (view.getUint8(at) !== stringHeader) return headers;
    const valueLength = view.getUint16(at + 1);
    headers.set(name, decode(at + 3, valueLength));
    at += 3 + valueLength;
  }
  return headers;
}

function concatenate(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** Not every browser supports async iteration over streams. */
async function* chunksOf<Chunk>(stream: ReadableStream<Chunk>): AsyncGenerator<Chunk> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    reader.releaseLock();
  }
}

function decodeText(stream: ReadableStream<Uint8Array>): ReadableStream<string> {
  const decoder = new TextDecoder();
  return stream.pipeThrough(
    new TransformStream<Uint8Array, string>({
      transform: (bytes, controller) => controller.enqueue(decoder.decode(bytes, { stream: true })),
    }),
  );
}
