import {
  startReplayProvider,
  startStack,
  type Recording,
  type ReplayProvider,
  type StackUnderTest,
} from '@gateway/testing';
import { Client } from 'pg';
import { bodyOf, checkEvery } from '../check-every.ts';

/** An API whose format clients speak, at the gateway's endpoint for it, with the provider that stands in for all of them. */
interface Endpoint {
  readonly api: string;
  readonly provider: string;
  readonly path: string;
}

const endpoints: readonly Endpoint[] = [
  { api: 'chat_completions', provider: 'openai', path: '/v1/chat/completions' },
  { api: 'messages', provider: 'anthropic', path: '/v1/messages' },
];

let replay: ReplayProvider;
let stack: StackUnderTest;
let apiKey: string;

beforeAll(async () => {
  replay = await startReplayProvider();
  stack = await startStack();
  await leaveRequestsAlone();
  const created = (await call('POST', '/v1/account/keys', {
    name: 'conformance',
    rate_limit_rpm: 1_000_000,
  })) as { key: string };
  apiKey = created.key;
  for (const { provider } of endpoints) {
    await call('PUT', '/v1/account/providers', {
      provider,
      api_key: 'provider-key-of-the-suite',
      base_url: `${replay.url}/v1`,
    });
  }
}, 120_000);

afterAll(async () => {
  await stack.stop();
  await replay.close();
});

/** An empty plan: nothing pruned, nothing compressed. */
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

const modelPattern = /"model"\s*:\s*"/;

/** The client's bytes: the recorded ones, with the provider's prefix before the model, and no other change. */
function addressTo(provider: string, request: Buffer): Buffer {
  const text = request.toString('utf8');
  const model = modelPattern.exec(text);
  if (model === null) throw new Error('the recorded request names no model');
  const at = model.index + model[0].length;
  return Buffer.from(`${text.slice(0, at)}${provider}/${text.slice(at)}`);
}

async function passThrough(
  { provider, path }: Endpoint,
  recording: Recording,
  controls: Parameters<ReplayProvider['enqueue']>[1] = {},
): Promise<void> {
  const request = bodyOf(recording, 'request');
  const body = bodyOf(recording, 'response');
  // The provider says what was recorded; its other headers never reach the client.
  const headers = { 'content-type': recording.content_type ?? typeOf(recording) };
  replay.enqueue(null, { status: recording.status, headers, body, ...controls });
  const answer = await fetch(stack.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: addressTo(provider, request),
  });
  const received = Buffer.from(await answer.arrayBuffer());
  expect({ status: answer.status, body: received.toString('latin1') }).toEqual({
    status: recording.status,
    body: body.toString('latin1'),
  });
  expect(replay.requests.at(-1)?.body.toString('latin1')).toBe(request.toString('latin1'));
}

/** Some recordings leave the headers out. */
function typeOf({ response_file }: Recording): string {
  return response_file?.endsWith('.sse') === true ? 'text/event-stream' : 'application/json';
}

/** Byte equality is owed on exchanges that were recorded as they were. */
function isWhole(recording: Recording): boolean {
  const { fidelity, request_file, response_file } = recording;
  return fidelity === 'raw' && request_file !== null && response_file !== null && namesModel(recording);
}

/** Vertex has the model in the address: such a body is not what a client of the gateway would send. */
function namesModel(recording: Recording): boolean {
  return modelPattern.test(bodyOf(recording, 'request').toString('utf8'));
}

for (const endpoint of endpoints) {
  checkEvery('a: through the gateway, byte for byte', endpoint.api, isWhole, (recording) =>
    passThrough(endpoint, recording),
  );
}

/** Cuts that no event, line or character respects; a byte at a time for short streams, which is slow. */
const cuts = [1, 2, 3, 7] as const;
let streams = 0;

function isShortStream(recording: Recording): boolean {
  return isWhole(recording) && recording.streaming && bodyOf(recording, 'response').length < 16_384;
}

for (const endpoint of endpoints) {
  checkEvery(
    'a: streams through the gateway, however they are cut',
    endpoint.api,
    isShortStream,
    (recording) =>
      passThrough(endpoint, recording, {
        chunkBytes: cuts[(streams += 1) % cuts.length] ?? 1,
        cutInsideCharacters: true,
      }),
  );
}
