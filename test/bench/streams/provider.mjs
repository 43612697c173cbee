// A loopback provider that streams chat completions.
// The `user` field of the request configures the stream as {id, chunks, everyMs, fillBytes, cutsFrames}.
// The provider responds immediately.
// The provider writes the send time into each chunk (CLOCK_MONOTONIC, microseconds).
// GET /sent returns the sent streams.
// With `everyMs` 0, the provider sends as fast as the client reads.
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
  request.on('end', () => sendStream(JSON.parse(JSON.parse(Buffer.concat(chunks)).user), response));
}).listen(0, '127.0.0.1', function () {
  process.send({ port: this.address().port });
});

function sendStream(order, response) {
  const stream = { order, response, bytes: 0, hash: createHash('sha256'), next: 0, rest: Buffer.alloc(0) };
  streams.set(order.id, stream);
  open += 1;
  openMost = Math.max(openMost, open);
  response.once('close', () => (open -= 1));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
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

/** @returns true if the output buffer can take more data. */
function sendChunk(stream) {
  const { order, rest } = stream;
  const from = (stream.next * 31) % 1000;
  const text = order.fillBytes === 0 ? '' : ` ${filler.slice(from, from + order.fillBytes)}`;
  stream.next += 1;
  const sentAtUs = process.hrtime.bigint() / 1000n;
  const frame = renderFrame({ delta: { content: `${sentAtUs}${text}` }, finish_reason: null });
  if (!order.cutsFrames) return write(stream, frame);
  // Cuts the bytes at an arbitrary position, even within a character.
  // The bytes after the cut are sent with the next chunk.
  const cut = (frame.length * (stream.next % 7)) >> 3;
  stream.rest = frame.subarray(cut);
  return write(stream, Buffer.concat([rest, frame.subarray(0, cut)]));
}

function endStream(stream) {
  const end = renderFrame({ delta: {}, finish_reason: 'stop' });
  write(stream, Buffer.concat([stream.rest, end, Buffer.from('data: [DONE]\n\n')]));
  // The provider records a stream before it sends the end of the stream.
  // A client that has read the whole stream may immediately request /sent.
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

function renderFrame(choice) {
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, ...choice }],
  };
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}
