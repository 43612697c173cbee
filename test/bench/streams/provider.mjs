// A loopback provider that streams chat completions or Responses API events.
// The `user` field of the request configures the stream as {id, chunks, everyMs, fillBytes, cutsFrames}.
// The provider starts to respond immediately.
// The provider writes the time of sending into each chunk (CLOCK_MONOTONIC, microseconds).
// GET /sent returns the streams that were sent.
// If `everyMs` is 0, the provider sends as fast as the client reads.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

/** Filler characters that take 1 to 4 bytes in UTF-8. */
const filler = 'stream ä of € words 😀 and "quotes" '.repeat(400);
const streams = new Map();
let open = 0;
let openMost = 0;

createServer((request, response) => {
  if (request.method === 'GET') {
    const sent = Object.fromEntries([...streams].map(([id, { bytes, sha256 }]) => [id, { bytes, sha256 }]));
    response.end(JSON.stringify({ openMost, sent }));
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const order = JSON.parse(JSON.parse(Buffer.concat(chunks)).user);
    sendStream(order, request.url === '/v1/responses' ? responses : chat, response);
  });
}).listen(0, '127.0.0.1', function () {
  process.send({ port: this.address().port });
});

function sendStream(order, format, response) {
  const stream = {
    order,
    format,
    response,
    frames: 0,
    bytes: 0,
    hash: createHash('sha256'),
    next: 0,
    rest: Buffer.alloc(0),
  };
  streams.set(order.id, stream);
  open += 1;
  openMost = Math.max(openMost, open);
  response.once('close', () => (open -= 1));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of format.start(stream)) write(stream, frame);
  if (order.everyMs === 0) return sendAsRead(stream);
  sendChunk(stream);
  const timer = setInterval(() => {
    if (stream.next < order.chunks) return sendChunk(stream);
    clearInterval(timer);
    endStream(stream);
  }, order.everyMs);
  response.once('close', () => clearInterval(timer));
}

function sendAsRead(stream) {
  while (stream.next < stream.order.chunks) {
    if (!sendChunk(stream)) return stream.response.once('drain', () => sendAsRead(stream));
  }
  endStream(stream);
}

/** @returns true if the output buffer has room for more data */
function sendChunk(stream) {
  const { order, rest } = stream;
  const from = (stream.next * 31) % 1000;
  const text = order.fillBytes === 0 ? '' : ` ${filler.slice(from, from + order.fillBytes)}`;
  stream.next += 1;
  const sentAtUs = process.hrtime.bigint() / 1000n;
  const frame = stream.format.delta(stream, `${sentAtUs}${text}`);
  if (!order.cutsFrames) return write(stream, frame);
  // Cuts the frame at an arbitrary byte, even within a character.
  // The next chunk starts with the remaining bytes of the frame.
  const cut = (frame.length * (stream.next % 7)) >> 3;
  stream.rest = frame.subarray(cut);
  return write(stream, Buffer.concat([rest, frame.subarray(0, cut)]));
}

function endStream(stream) {
  write(stream, Buffer.concat([stream.rest, ...stream.format.end(stream)]));
  // The provider records a stream before it sends the stream's end.
  // A client that has read the whole stream may request /sent immediately.
  stream.sha256 = stream.hash.digest('hex');
  stream.response.end();
}

function write(stream, bytes) {
  if (bytes.length === 0) return true;
  const hasRoom = stream.response.write(bytes);
  stream.bytes += bytes.length;
  stream.hash.update(bytes);
  return hasRoom;
}

const chat = {
  start: () => [],
  delta: (_stream, content) => renderChunk({ delta: { content }, finish_reason: null }),
  end: () => [renderChunk({ delta: {}, finish_reason: 'stop' }), Buffer.from('data: [DONE]\n\n')],
};

function renderChunk(choice) {
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, ...choice }],
  };
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}

const item = { id: 'msg_bench', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const place = { item_id: item.id, output_index: 0, content_index: 0 };
const part = { type: 'output_text', text: '', annotations: [] };
const response = { id: 'resp_bench', object: 'response', created_at: 1_790_000_000, model: 'gpt-4o-mini' };
const usage = { input_tokens: 12, output_tokens: 9, total_tokens: 21 };

/** The last events omit the text, because the benchmark's texts are longer than a model's texts. */
const responses = {
  start: (stream) => [
    renderEvent(stream, 'response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    renderEvent(stream, 'response.output_item.added', { output_index: 0, item }),
    renderEvent(stream, 'response.content_part.added', { ...place, part }),
  ],
  delta: (stream, delta) => renderEvent(stream, 'response.output_text.delta', { ...place, delta }),
  end: (stream) => [
    renderEvent(stream, 'response.output_item.done', {
      output_index: 0,
      item: { ...item, status: 'completed' },
    }),
    renderEvent(stream, 'response.completed', {
      response: { ...response, status: 'completed', output: [], usage },
    }),
  ],
};

function renderEvent(stream, type, members) {
  const data = JSON.stringify({ type, ...members, sequence_number: stream.frames });
  stream.frames += 1;
  return Buffer.from(`event: ${type}\ndata: ${data}\n\n`);
}
