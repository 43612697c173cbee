import type { Recording } from '@gateway/testing';
import { bodyOf, checkEvery, isAnswered } from '../check-every.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { applyAnswerLosses } from './answer-losses.ts';
import { startConnectedGateway, type ConnectedGateway } from './connected-gateway.ts';
import { openClients, type AskModel, type ClientName } from './sdk-clients.ts';
import { readCohere, readGemini } from './source-readings-provider.ts';
import { readChat, readConverse, readMessages, type ReadSource } from './source-readings.ts';

/** A recorded API: its format, its provider, and an independent reader for its responses. */
interface Origin {
  readonly api: string;
  readonly format: string;
  readonly provider: string;
  readonly read: ReadSource;
}

const origins: readonly Origin[] = [
  { api: 'chat_completions', format: 'chat-completions', provider: 'openai', read: readChat },
  { api: 'messages', format: 'messages', provider: 'anthropic', read: readMessages },
  { api: 'converse', format: 'converse', provider: 'hosted', read: readConverse },
  { api: 'converse_stream', format: 'converse', provider: 'hosted', read: readConverse },
  { api: 'gemini', format: 'gemini', provider: 'google', read: readGemini },
  { api: 'cohere_chat', format: 'cohere', provider: 'cohere', read: readCohere },
];
const clientNames: readonly ClientName[] = ['chat-completions', 'messages', 'converse'];

let gateway: ConnectedGateway;
let clients: Record<ClientName, AskModel>;

beforeAll(async () => {
  gateway = await startConnectedGateway();
  clients = openClients(gateway.baseUrl, gateway.apiKey);
}, 120_000);

afterAll(() => gateway.stop(), 60_000);

/** Some recordings have no headers. */
function typeOf({ content_type: type, response_file: file }: Recording): string {
  if (file?.endsWith('.sse') === true) return 'text/event-stream';
  if (/\.(?:eventstream|bin)$/.test(file ?? '')) return 'application/vnd.amazon.eventstream';
  return type ?? 'application/json';
}

/** The response for a client of another format must be equal except for the losses in the table. */
async function readElsewhere(origin: Origin, client: ClientName, recording: Recording): Promise<void> {
  const source = origin.read(recording);
  const headers = { 'content-type': typeOf(recording) };
  gateway.replay.enqueue(null, { status: 200, headers, body: bodyOf(recording, 'response') });
  const asked = clients[client](`${origin.provider}/some-model`, recording.streaming);
  if (source === null) {
    await expect(asked).rejects.toThrow();
    return;
  }
  const { expected, losses } = applyAnswerLosses(source, client, recording.streaming);
  for (const field of losses) lossesChannel.publish({ from: origin.format, to: client, field });
  const read = await asked;
  expect({ ...read, calls: read.calls.map(({ name, input }) => ({ name, input })) }).toEqual({
    ...expected,
    links: client === 'chat-completions' ? expected.links : [],
    calls: expected.calls.map(({ name, input }) => ({ name, input })),
  });
  read.calls.forEach(({ id }, at) =>
    expect(id).toEqual(expected.calls[at]?.id ?? expect.stringMatching(/./)),
  );
  expect(new Set(read.calls.map(({ id }) => id)).size).toBe(read.calls.length);
}

for (const client of clientNames) {
  for (const origin of origins.filter(({ format }) => format !== client)) {
    checkEvery(`c: answer read by the SDK of ${client}`, origin.api, isAnswered, (recording) =>
      readElsewhere(origin, client, recording),
    );
  }
}
