/**
 * Tests each client SDK with a provider of each upstream format. The content that the SDK reads must equal
 * the provider's recorded content.
 */
import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import {
  mayLackRecordings,
  sharedStack,
  type Recording,
  type ReplayProvider,
  skipUnless,
} from '@gateway/testing';
import { bodyOf } from '../contract/check-every.ts';
import type { AnswerReading } from '../contract/gateway/answer-reading.ts';
import { openClients, type AskModel, type ClientName } from '../contract/gateway/sdk-clients.ts';
import { connectProvider, createTestAccount, createTestKey } from './account.fixture.ts';
import { connectBedrock } from './bedrock.fixture.ts';
import {
  chooseRecordings,
  clientNames,
  imageBase64,
  isCollected,
  matters,
  origins,
  sayMatter,
  type Matter,
} from './pairs.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
let replay: ReplayProvider;
let aws: BedrockRuntimeClient;
let clients: Record<ClientName, AskModel>;
beforeAll(async () => {
  replay = await startProvider();
  const { apiKey } = await createTestAccount(stack);
  const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 });
  for (const { provider, path } of origins) {
    const base_url = replay.url + path;
    await connectProvider(stack.baseUrl, key, { provider, api_key: 'upstream-key', base_url });
  }
  aws = connectBedrock(stack.baseUrl, key);
  clients = openClients(stack.baseUrl, key, aws);
});
afterEach(() => replay.reset());
afterAll(async () => {
  aws.destroy();
  await replay.close();
});

function typeOf({ response_file: file, streaming }: Recording): string {
  if (!streaming) return 'application/json';
  return file?.endsWith('.sse') === true ? 'text/event-stream' : 'application/vnd.amazon.eventstream';
}

/** Expects that the provider received the client's content in the provider's format. */
function expectAsked(matter: Matter, reading: AnswerReading, streaming: boolean): void {
  const body = replay.requests.at(-1)!.body.toString('utf8');
  for (const { name } of reading.calls) expect(body).toContain(`"${name}"`);
  // OpenAI rejects `stream_options` in a non-streaming request.
  if (!streaming) expect(body).not.toContain('stream_options');
  if (matter === 'images') expect(body).toContain(imageBase64);
  if (matter === 'thinking')
    expect(body).toMatch(/"(?:reasoning_effort|effort|thinkingLevel)":"low"|thinkingConfig/i);
}

/**
 * Compares the content that an SDK parsed with the recorded content. In formats without tool call ids, any
 * unique id is accepted.
 */
function expectSameReading(read: AnswerReading, expected: AnswerReading): void {
  const calls = expected.calls.map((call) => ({
    ...call,
    id: call.id ?? (expect.stringMatching(/./) as unknown),
  }));
  expect(read).toEqual({ ...expected, calls });
  expect(new Set(read.calls.map(({ id }) => id)).size).toBe(read.calls.length);
}

const perMatter = 2;

// The recordings are not part of the repository, but CI requires them (`findSharedData`).
const whenCollected = skipUnless(isCollected, describe);
whenCollected.each(clientNames)('the SDK for %s', (client) => {
  describe.each(origins)('with $provider', (origin) => {
    describe.each(matters)('%s', (matter) => {
      describe.each([
        ['plain', false],
        ['streamed', true],
      ])('%s', (_how, streaming) => {
        const chosen = isCollected ? chooseRecordings(origin, matter, streaming, perMatter) : [];

        // Only the default recordings must cover every feature (`mayLackRecordings`).
        const itHas = skipUnless(chosen.length > 0 || !mayLackRecordings(process.env['DATA_DIR']), it);
        itHas('has a recording', () => {
          expect(chosen.length).toBeGreaterThan(0);
        });

        for (const { recording, reading } of chosen) {
          it(recording.id, async () => {
            const headers = { 'content-type': typeOf(recording) };
            replay.enqueue(null, { status: 200, headers, body: bodyOf(recording, 'response') });
            const model = `${origin.provider}/${recording.model ?? 'some-model'}`;
            const read = await clients[client](model, streaming, sayMatter(client, matter, reading));
            expectSameReading(read, reading);
            expectAsked(matter, reading, streaming);
          });
        }
      });
    });
  });
});
