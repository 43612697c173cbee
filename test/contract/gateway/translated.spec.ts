import type { Recording } from '@gateway/testing';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { applyAnswerLosses } from './answer-losses.ts';
import { startConnectedGateway, type ConnectedGateway } from './connected-gateway.ts';
import { openClients, type AskModel, type ClientName } from './sdk-clients.ts';
import { readCohere, readGemini } from './source-readings-provider.ts';
import { readResponses } from './source-readings-responses.ts';
import { readChat, readConverse, readMessages, type ReadSource } from './source-readings.ts';

/** A recorded API with its format, a provider, and an independent reader of responses. */
interface Origin {
  readonly api: string;
  readonly format: string;
  readonly provider: string;
  readonly read: ReadSource;
  /** A model that accepts tools only through the recorded API. Requests for the model get an additional tool. */
  readonly model?: string;
}

const schema = { type: 'object', properties: {} } as const;
/** The same tool, defined in each client's format. */
const tools: Readonly<Record<ClientName, object>> = {
  responses: {},
  'chat-completions': { tools: [{ type: 'function', function: { name: 'look_up', parameters: schema } }] },
  messages: { tools: [{ name: 'look_up', input_schema: schema }] },
  converse: { toolConfig: { tools: [{ toolSpec: { name: 'look_up', inputSchema: { json: schema } } }] } },
};

const origins: readonly Origin[] = [
  { api: 'chat_completions', format: 'chat-completions', provider: 'openai', read: readChat },
  { api: 'messages', format: 'messages', provider: 'anthropic', read: readMessages },
  { api: 'converse', format: 'converse', provider: 'hosted', read: readConverse },
  { api: 'converse_stream', format: 'converse', provider: 'hosted', read: readConverse },
  { api: 'gemini', format: 'gemini', provider: 'google', read: readGemini },
  { api: 'cohere_chat', format: 'cohere', provider: 'cohere', read: readCohere },
  {
    ...{ api: 'responses', format: 'responses', provider: 'openai', read: readResponses },
    model: 'gpt-6.2-sol',
  },
];
const clientNames: readonly ClientName[] = ['chat-completions', 'messages', 'converse', 'responses'];

let gateway: ConnectedGateway;
let clients: Record<ClientName, AskModel>;

beforeAll(async () => {
  gateway = await startConnectedGateway();
  clients = openClients(gateway.baseUrl, gateway.apiKey);
}, 120_000);

afterAll(() => gateway.stop(), 60_000);

/** Returns the content type of a response, even if the recording has no headers. */
function typeOf({ content_type: type, response_file: file }: Recording): string {
  if (file?.endsWith('.sse') === true) return 'text/event-stream';
  if (/\.(?:eventstream|bin)$/.test(file ?? '')) return 'application/vnd.amazon.eventstream';
  return type ?? 'application/json';
}

/** The formats with a response field for cited web pages that SDKs read. */
const citingClients: ReadonlySet<ClientName> = new Set(['chat-completions', 'responses']);

/**
 * Checks a client's response in a format other than the recorded format. The response must equal the recorded
 * response, except for the losses listed in the table.
 */
async function readElsewhere(origin: Origin, client: ClientName, recording: Recording): Promise<void> {
  const source = origin.read(recording);
  const headers = { 'content-type': typeOf(recording) };
  gateway.replay.enqueue(null, { status: 200, headers, body: bodyOf(recording, 'response') });
  // OpenAI receives Responses API requests unchanged, so the test uses a different chat-completions provider.
  const provider = client === 'responses' && origin.provider === 'openai' ? 'mistral' : origin.provider;
  const model = `${provider}/${origin.model ?? 'anthropic.some-model'}`;
  const said = origin.model === undefined ? undefined : tools[client];
  const asked = clients[client](model, recording.streaming, said);
  if (source === null) {
    await expect(asked).rejects.toThrow();
    return;
  }
  const { expected, losses } = applyAnswerLosses(source, client, recording.streaming);
  for (const field of losses) lossesChannel.publish({ from: origin.format, to: client, field });
  const read = await asked;
  expect({ ...read, calls: read.calls.map(({ name, input }) => ({ name, input })) }).toEqual({
    ...expected,
    links: citingClients.has(client) ? expected.links : [],
    calls: expected.calls.map(({ name, input }) => ({ name, input })),
  });
  read.calls.forEach(({ id }, at) =>
    expect(id).toEqual(expected.calls[at]?.id ?? expect.stringMatching(/./)),
  );
  expect(new Set(read.calls.map(({ id }) => id)).size).toBe(read.calls.length);
}

/**
 * Only chat-completions clients can define custom tools, so only they receive calls to custom
 * tools.
 */
function isPossible(origin: Origin, client: ClientName, recording: Recording): boolean {
  if (origin.format !== 'responses' || client === 'chat-completions' || !recording.streaming) return true;
  return origin.read(recording)?.beside.has('calls of custom tools') !== true;
}

/**
 * The Responses API has the most recordings per pair of formats, so `npm test` checks only a third of the
 * recordings.
 */
const responsesStep = 3;

for (const client of clientNames) {
  for (const origin of origins.filter(({ format }) => format !== client)) {
    checkEvery(
      `response translated for ${client}`,
      origin.api,
      (recording) => isAnswered(recording) && isPossible(origin, client, recording),
      (recording) => readElsewhere(origin, client, recording),
      client === 'responses' || origin.format === 'responses' ? responsesStep : 1,
    );
  }
}
