import {
  startReplayProvider,
  startStack,
  type Recording,
  type ReplayProvider,
  type StackUnderTest,
} from '@gateway/testing';
import { Client } from 'pg';
import { bodyOf, checkEvery } from '../check-every.ts';

const modelPattern = /"model"\s*:\s*"/;
const modelPathPattern = /^\/model\/([^/]+)\/(converse|converse-stream)$/;

/**
 * A recorded API that uses a client format. The gateway's endpoint for the API forwards requests to the
 * replay provider.
 */
interface Endpoint {
  readonly api: string;
  readonly provider: string;
  /** The URL path prefix of the provider. */
  readonly base: string;
  /** Returns the URL path and body of the request that a client would send to the gateway. */
  address(recording: Recording): { readonly path: string; readonly body: Buffer };
  /** Whether a recorded request has the model name in the place that the endpoint expects. */
  namesModel(recording: Recording): boolean;
}

const endpoints: readonly Endpoint[] = [
  inBody('chat_completions', 'openai', '/v1/chat/completions'),
  inBody('messages', 'anthropic', '/v1/messages'),
  inBody('responses', 'openai', '/v1/responses'),
  inPath('converse', 'hosted'),
  inPath('converse_stream', 'hosted'),
];

function inBody(api: string, provider: string, path: string): Endpoint {
  const address = (recording: Recording) => ({
    path,
    body: addressTo(provider, bodyOf(recording, 'request')),
  });
  return { api, provider, base: '/v1', address, namesModel };
}

/** Creates an endpoint that has the model in the URL path. The client sends the recorded body unchanged. */
function inPath(api: string, provider: string): Endpoint {
  const address = (recording: Recording) => {
    const [, model = '', operation = ''] = modelPathPattern.exec(recording.url_path ?? '') ?? [];
    const named = encodeURIComponent(`${provider}/${decodeURIComponent(model)}`);
    return { path: `/model/${named}/${operation}`, body: bodyOf(recording, 'request') };
  };
  const isNamed = ({ url_path }: Recording) => modelPathPattern.test(url_path ?? '');
  return { api, provider, base: '', address, namesModel: isNamed };
}

let replay: ReplayProvider;
let stack: StackUnderTest;
let apiKey: string;

beforeAll(async () => {
  replay = await startReplayProvider();
  // Retries are off, so that the replay provider returns a recorded error response only once.
  stack = await startStack({ env: { 'edge-gateway': { UPSTREAM_RETRIES_MAX: '0' } } });
  await leaveRequestsAlone();
  const created = (await call('POST', '/v1/account/keys', {
    name: 'conformance',
    rate_limit_rpm: 1_000_000,
  })) as { key: string };
  apiKey = created.key;
  for (const { provider, base } of endpoints) {
    await call('PUT', '/v1/account/providers', {
      provider,
      api_key: 'provider-key-of-the-suite',
      base_url: `${replay.url}${base}`,
    });
  }
}, 120_000);

afterAll(async () => {
  await stack.stop();
  await replay.close();
});

/** Returns an empty plan, which prunes no tools and compresses nothing. */
async function leaveRequestsAlone(): Promise<void> {
  const client = new Client({ connectionString: stack.dev.postgres.account });
  await client.connect();
  await client.query(`UPDATE routing_preferences SET pruning_mode = 'off', compression_mode = 'off'`);
  await client.end();
}

async function call(method: string, path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(stack.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/**
 * Returns the bytes that a client would send. The provider prefix is inserted into the model name in the
 * recorded bytes.
 */
function addressTo(provider: string, request: Buffer): Buffer {
  const text = request.toString('utf8');
  const model = modelPattern.exec(text);
  if (model === null) throw new Error('the recorded request names no model');
  const at = model.index + model[0].length;
  return Buffer.from(`${text.slice(0, at)}${provider}/${text.slice(at)}`);
}

async function passThrough(
  endpoint: Endpoint,
  recording: Recording,
  controls: Parameters<ReplayProvider['enqueue']>[1] = {},
): Promise<void> {
  const request = bodyOf(recording, 'request');
  const body = bodyOf(recording, 'response');
  // The replay provider sends the recorded response body with no header except a content type.
  // The client must not receive any provider header except the content type.
  const headers = { 'content-type': recording.content_type ?? typeOf(recording) };
  replay.enqueue(null, { status: recording.status, headers, body, ...controls });
  const asked = endpoint.address(recording);
  const answer = await fetch(stack.baseUrl + asked.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: new Uint8Array(asked.body),
  });
  const received = Buffer.from(await answer.arrayBuffer());
  expect({ status: answer.status, body: received.toString('latin1') }).toEqual({
    status: recording.status,
    body: body.toString('latin1'),
  });
  expect(replay.requests.at(-1)?.body.toString('latin1')).toBe(request.toString('latin1'));
}

/** Returns the content type of a response, even if the recording has no headers. */
function typeOf({ response_file }: Recording): string {
  if (response_file?.endsWith('.sse') === true) return 'text/event-stream';
  return response_file?.endsWith('.json') === true
    ? 'application/json'
    : 'application/vnd.amazon.eventstream';
}

/**
 * Returns true if the exchange was recorded in raw form. Other exchanges cannot be compared byte for byte.
 */
function isWhole(recording: Recording, endpoint: Endpoint): boolean {
  const { fidelity, request_file, response_file } = recording;
  const isRecorded = fidelity === 'raw' && request_file !== null && response_file !== null;
  return isRecorded && endpoint.namesModel(recording);
}

/**
 * Returns false for Vertex requests, which name the model in the URL path. A Vertex request has the model in
 * the URL path, so a gateway client would not send the recorded body.
 */
function namesModel(recording: Recording): boolean {
  return modelPattern.test(bodyOf(recording, 'request').toString('utf8'));
}

for (const endpoint of endpoints) {
  checkEvery(
    'exchange forwarded byte for byte',
    endpoint.api,
    (recording) => isWhole(recording, endpoint),
    (recording) => passThrough(endpoint, recording),
  );
}

/**
 * The sizes in bytes of the chunks into which streams are split, regardless of events, lines and characters.
 * Only short streams are also sent byte by byte, because long streams would take too much time.
 */
const cuts = [1, 2, 3, 7] as const;
let streams = 0;

function isShortStream(recording: Recording, endpoint: Endpoint): boolean {
  return isWhole(recording, endpoint) && recording.streaming && bodyOf(recording, 'response').length < 16_384;
}

// The operation `converse` never streams. The recorded streams come from the operation `converse_stream`.
for (const endpoint of endpoints.filter(({ api }) => api !== 'converse')) {
  checkEvery(
    'stream forwarded unchanged in any chunks',
    endpoint.api,
    (recording) => isShortStream(recording, endpoint),
    (recording) =>
      passThrough(endpoint, recording, {
        chunkBytes: cuts[(streams += 1) % cuts.length] ?? 1,
        cutInsideCharacters: true,
      }),
  );
}
