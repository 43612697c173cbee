import { loadRecordings, type ReplayControls, skipUnless } from '@gateway/testing';
import { sampleFolders } from '../check-every.ts';
import { startConnectedGateway, type ConnectedGateway } from './connected-gateway.ts';
import { askForStream, streamClients, type Received } from './stream-clients.ts';
import { faultOf } from './stream-faults.ts';
import { readFrames, type StreamFormat } from './stream-frames.ts';

const formats = Object.keys(streamClients) as StreamFormat[];

/** A recorded stream, and the length at which a reader can detect that the stream is complete. */
interface RecordedStream {
  readonly id: string;
  readonly format: StreamFormat;
  readonly bytes: Buffer;
  readonly boundaries: readonly number[];
  /** The number of bytes after which the response is complete. */
  readonly wholeAt: number;
}

const streamsWanted = { 'chat-completions': 4, messages: 3, converse: 3 } as const;

function chooseStreams(format: StreamFormat): RecordedStream[] {
  return sampleFolders
    .flatMap((folder) => loadRecordings(folder, streamClients[format].api))
    .filter((each) => each.streaming && each.status === 200 && each.fidelity === 'raw')
    .filter((each) => !each.is_error && !each.midstream_error)
    .map((each) => openStream(each.id, format, each.response() ?? Buffer.alloc(0)))
    .filter((each) => each !== undefined)
    .slice(0, streamsWanted[format]);
}

/**
 * Returns undefined if the stream is too long to cut at every byte, or if the stream's end does not match the
 * stream's format.
 */
function openStream(id: string, format: StreamFormat, bytes: Buffer): RecordedStream | undefined {
  if (bytes.length > 12_000 || bytes.length < 500 || bytes.includes('\r\n\r\n')) return undefined;
  try {
    const frames = readFrames(format, bytes);
    if (frames.filter(({ kind }) => kind === 'end').length !== 1) return undefined;
    const boundaries = [0, ...frames.map(({ end }) => end)];
    return { id, format, bytes, boundaries, wholeAt: findWhole(format, bytes, boundaries) };
  } catch {
    return undefined;
  }
}

/**
 * Returns the number of bytes after which the response is complete. In OpenAI's format, the last finish
 * reason completes the response. In the messages and Converse formats, a separate event completes the
 * response. The empty line at the end of the stream may be missing.
 */
function findWhole(format: StreamFormat, bytes: Buffer, boundaries: readonly number[]): number {
  const word = { 'chat-completions': '"finish_reason":"', messages: 'message_stop', converse: 'messageStop' };
  const at = bytes.lastIndexOf(word[format]);
  const end = boundaries.find((each) => each > at) ?? bytes.length;
  return format === 'converse' ? end : end - '\n\n'.length;
}

/** Returns all lengths within two bytes of a frame boundary, and further lengths at regular intervals. */
function chooseLengths({ bytes, boundaries }: RecordedStream, between: number): number[] {
  const near = boundaries.flatMap((end) => [-2, -1, 0, 1, 2].map((off) => end + off));
  const step = Math.max(1, Math.ceil(bytes.length / between));
  const regular = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) => index * step);
  return [...new Set([...near, ...regular])]
    .filter((length) => length >= 0 && length < bytes.length)
    .sort((a, b) => a - b);
}

let gateway: ConnectedGateway;

beforeAll(async () => {
  gateway = await startConnectedGateway();
}, 120_000);

afterAll(async () => gateway.stop());

function ask(client: StreamFormat, provider: StreamFormat, controls: ReplayControls): Promise<Received> {
  const headers = { 'content-type': streamClients[provider].type, ...controls.headers };
  gateway.replay.enqueue(null, { ...controls, headers });
  return askForStream(gateway, client, `${streamClients[provider].provider}/some-model`);
}

async function expectWholeAnswer({ format, bytes }: RecordedStream): Promise<void> {
  const answer = await ask(format, format, { body: bytes });
  expect(answer.status).toBe(200);
  expect(answer.bytes.equals(bytes)).toBe(true);
}

for (const format of formats) {
  const streams = chooseStreams(format);
  const others = formats.filter((each) => each !== format);

  // The recordings are not part of the repository, but CI requires them (`findSharedData`).
  skipUnless(sampleFolders.length > 0, describe)(`${format}, malformed`, () => {
    test('each format has recorded streams for this test', () => {
      expect(streams).toHaveLength(streamsWanted[format]);
    });

    test.each(streams)(
      'the recorded stream $id, closed early, causes one clean error for clients of the other formats',
      async (stream) => {
        const faults: string[] = [];
        const lengths = chooseLengths(stream, 30).filter((length) => length < stream.wholeAt);
        for (const [turn, length] of lengths.entries()) {
          const client = others[turn % others.length] ?? format;
          const answer = await ask(client, format, { body: stream.bytes.subarray(0, length) });
          const fault = faultOf(client, answer);
          if (fault !== null) faults.push(`${client}, ${length} of ${stream.bytes.length}: ${fault}`);
        }
        expect(faults).toEqual([]);
      },
    );

    test.each(streams)(
      'the recorded stream $id, reset while sent in small chunks, causes one clean error',
      async (stream) => {
        const faults: string[] = [];
        for (let part = 0; part < 12; part += 1) {
          const resetAtByte = Math.floor((stream.wholeAt * part) / 12);
          const answer = await ask(format, format, { body: stream.bytes, resetAtByte, chunkBytes: 97 });
          const fault = faultOf(format, answer, stream.bytes);
          if (fault !== null) faults.push(`${resetAtByte}: ${fault}`);
        }
        expect(faults).toEqual([]);
        await expectWholeAnswer(stream);
      },
    );

    describe('an invalid frame within a stream', () => {
      const [stream] = streams;
      const middle = stream?.boundaries[Math.floor(stream.boundaries.length / 2)] ?? 0;
      const insert = (garbage: Buffer): Buffer =>
        Buffer.concat([
          stream?.bytes.subarray(0, middle) ?? garbage,
          garbage,
          stream?.bytes.subarray(middle) ?? garbage,
        ]);
      const garbage: [string, Buffer][] =
        format === 'converse'
          ? [
              ['text', Buffer.from('garbage between the frames of a stream')],
              ['a frame with a declared length of 2 GiB', Buffer.from('7fffffff0000000000000000', 'hex')],
              ['zeros', Buffer.alloc(64)],
              ['ten megabytes', Buffer.alloc(10 * 1024 * 1024, 'x')],
            ]
          : [
              ['data that is not JSON', Buffer.from('data: {"cut": \n\n')],
              ['an HTML page', Buffer.from('data: <html>Bad gateway</html>\n\n')],
              ['a line of ten megabytes', Buffer.from(`data: "${'x'.repeat(10 * 1024 * 1024)}"\n\n`)],
              ['ten megabytes without a line end', Buffer.alloc(10 * 1024 * 1024, 'x')],
              ['an event of many lines', Buffer.from(`${'data: 1\n'.repeat(400_000)}\n`)],
            ];

      test.each(garbage)('%s within a stream causes one clean error', async (_what, bytes) => {
        for (const client of formats) {
          const answer = await ask(client, format, { body: insert(bytes) });
          expect(faultOf(client, answer)).toBeNull();
        }
        await expectWholeAnswer(stream!);
      });
    });

    test('an error body with status 200 is treated as an error', async () => {
      const error = { type: 'overloaded_error', message: 'Too many.', code: 'busy' };
      const bodies = {
        'chat-completions': { error },
        messages: { type: 'error', error },
        converse: { message: 'Too many.' },
      };
      for (const type of ['application/json', streamClients[format].type]) {
        for (const client of formats) {
          const headers = { 'content-type': type };
          const answer = await ask(client, format, { body: bodies[format], headers });
          expect([type, client, answer.status]).toEqual([type, client, expect.any(Number)]);
          expect([type, client, faultOf(client, answer)]).toEqual([type, client, null]);
        }
      }
      await expectWholeAnswer(streams[0]!);
    });
  });
}

describe('binary frames', () => {
  test('a wrong checksum of the prelude or message causes one clean error at any binary frame', async () => {
    const [stream] = chooseStreams('converse');
    if (stream === undefined) return;
    for (const [index, start] of stream.boundaries.slice(0, -1).entries()) {
      const end = stream.boundaries[index + 1] ?? 0;
      for (const at of [start + 8, end - 1, Math.floor((start + end) / 2)]) {
        const body = Buffer.from(stream.bytes);
        body[at] = (body[at] ?? 0) ^ 0x40;
        const mayHaveStopped = start >= stream.wholeAt;
        for (const controls of [{ body }, { body, chunkBytes: 61 }]) {
          const answer = await ask('converse', 'converse', controls);
          expect([at, faultOf('converse', answer, stream.bytes, mayHaveStopped)]).toEqual([at, null]);
        }
      }
    }
    await expectWholeAnswer(stream);
  });
});
