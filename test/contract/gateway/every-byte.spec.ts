import { loadRecordings, type Recording, skipUnless } from '@gateway/testing';
import { sampleFolders } from '../check-every.ts';
import { startConnectedGateway, type ConnectedGateway } from './connected-gateway.ts';
import { askForStream, type Received } from './stream-clients.ts';
import { faultOf } from './stream-faults.ts';
import { readFrames, type StreamFormat } from './stream-frames.ts';

/**
 * An API with recorded streams that the test cuts. An entry contains the provider, the client formats, and a
 * pattern for the last event that changes the response.
 */
interface CutApi {
  readonly api: string;
  readonly provider: string;
  readonly type: string;
  /**
   * The formats of the clients that read the cut streams. For each byte position, the test cuts the stream at
   * the position, and a client of one format reads the stream. If the stream is already in a client format,
   * only clients of this format read the stream.
   */
  readonly clients: readonly StreamFormat[];
  readonly end: RegExp;
}

const everyFormat = ['chat-completions', 'messages', 'converse'] as const;
const sse = 'text/event-stream';
const binary = 'application/vnd.amazon.eventstream';

/**
 * The APIs with recorded streams that the test cuts. The field `end` matches the event that completes the
 * response. The completing event has the name `finish_reason` in chat completions, `message_stop` in messages
 * and `messageStop` in Converse. The completing event is `finishReason` in Gemini and `message-end` in
 * Cohere. Data after the completing event (usage, `[DONE]`, empty lines) does not change the response.
 */
const cutApis: readonly CutApi[] = [
  {
    api: 'chat_completions',
    provider: 'openai',
    type: sse,
    clients: ['chat-completions'],
    end: /"finish_reason": ?"/g,
  },
  { api: 'messages', provider: 'anthropic', type: sse, clients: ['messages'], end: /^event: message_stop/gm },
  { api: 'converse_stream', provider: 'hosted', type: binary, clients: ['converse'], end: /messageStop/g },
  { api: 'gemini', provider: 'google', type: sse, clients: everyFormat, end: /"finishReason": ?"/g },
  { api: 'cohere_chat', provider: 'cohere', type: sse, clients: everyFormat, end: /"type": ?"message-end"/g },
];

interface CutStream extends CutApi {
  readonly id: string;
  readonly bytes: Buffer;
  /** The number of bytes after which the response is complete. */
  readonly wholeAt: number;
}

const bytesMin = 1_000;
const bytesMax = 8_000;

/** Returns an API's shortest stream with a tool call, and the shortest stream without a tool call. */
function chooseStreams(cutApi: CutApi): CutStream[] {
  const streams = sampleFolders
    .flatMap((folder) => loadRecordings(folder, cutApi.api))
    .filter((each) => each.streaming && each.status === 200 && !each.is_error && !each.midstream_error)
    .map((each) => ({ each, stream: openStream(cutApi, each) }))
    .filter(({ stream }) => stream !== undefined)
    .sort((a, b) => (a.stream?.bytes.length ?? 0) - (b.stream?.bytes.length ?? 0));
  return [true, false]
    .map((calls) => streams.find(({ each }) => each.has_tool_calls === calls)?.stream)
    .filter((stream) => stream !== undefined);
}

/**
 * Returns undefined if the stream's size is out of range, or if its end marker is not unique. A stream that
 * is cut between two end markers would already be a complete response.
 */
function openStream(cutApi: CutApi, recording: Recording): CutStream | undefined {
  const bytes = recording.response() ?? Buffer.alloc(0);
  if (bytes.length < bytesMin || bytes.length > bytesMax) return undefined;
  const ends = [...bytes.toString('latin1').matchAll(cutApi.end)];
  const [end] = ends;
  if (end === undefined || ends.length > 1) return undefined;
  const wholeAt = cutApi.type === binary ? endOfMessage(bytes, end.index) : endOfData(bytes, end.index);
  return { ...cutApi, id: recording.id, bytes, wholeAt };
}

function endOfMessage(bytes: Buffer, at: number): number {
  let end = 0;
  while (end <= at) end += bytes.readUInt32BE(end);
  return end;
}

/**
 * Returns the end of an event's data. The newline and empty line after the data may be missing, because the
 * end of a stream also ends an event.
 */
function endOfData(bytes: Buffer, at: number): number {
  const rest = bytes.toString('latin1', at);
  return at + rest.search(/(?:\r?\n){2}|(?:\r?\n)?$/);
}

let gateway: ConnectedGateway;

beforeAll(async () => {
  gateway = await startConnectedGateway();
}, 120_000);

afterAll(async () => gateway.stop());

/** Makes the provider close the connection after the number of bytes given in the model name. */
function cutAsAsked(stream: CutStream): void {
  gateway.replay.setControls(({ url, body }) => {
    const length = /cut-at-(\d+)/.exec(url + body.toString('latin1'))?.[1];
    const headers = { 'content-type': stream.type };
    return { headers, body: stream.bytes.subarray(0, Number(length ?? stream.bytes.length)) };
  });
}

/** Describes the first error in the response to a cut stream. Returns null if the response contains no error. */
function faultAt(stream: CutStream, client: StreamFormat, length: number, answer: Received): string | null {
  const isSame = stream.clients.length === 1;
  const isWhole = length >= stream.wholeAt;
  if (isWhole && isSame && answer.bytes.equals(stream.bytes.subarray(0, length))) return null;
  if (isWhole && !isSame && isSuccess(client, answer)) return null;
  const fault = faultOf(client, answer, isSame ? stream.bytes : undefined, isWhole && isSame);
  return fault && `${client}, ${length} of ${stream.bytes.length}: ${fault}`;
}

function isSuccess(client: StreamFormat, { status, bytes, isReset }: Received): boolean {
  if (isReset) return false;
  if (status !== 200) return false;
  const kinds = readFrames(client, bytes).map(({ kind }) => kind);
  return kinds.filter((kind) => kind === 'end').length === 1 && !kinds.includes('error');
}

const atOnce = 24;

async function findFaults(stream: CutStream): Promise<string[]> {
  const faults: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let length = next; length < stream.bytes.length; length = next) {
      next += 1;
      const client = stream.clients[length % stream.clients.length] ?? 'chat-completions';
      const answer = await askForStream(gateway, client, `${stream.provider}/cut-at-${length}`);
      const fault = faultAt(stream, client, length, answer);
      if (fault !== null) faults.push(fault);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return faults;
}

for (const cutApi of cutApis) {
  const streams = chooseStreams(cutApi);
  // The recordings are not part of the repository, but CI requires them (`findSharedData`).
  skipUnless(sampleFolders.length > 0, describe)('cut at every byte', () => {
    describe(cutApi.api, () => {
      test('each format has streams for this test', () => expect(streams.length).toBeGreaterThan(0));

      test.each(streams)(
        '$id',
        async (stream) => {
          cutAsAsked(stream);
          expect(await findFaults(stream)).toEqual([]);
          const client = stream.clients[0] ?? 'chat-completions';
          const whole = await askForStream(gateway, client, `${stream.provider}/whole`);
          expect(isSuccess(client, whole)).toBe(true);
        },
        120_000,
      );
    });
  });
}
