import { sendUntilEnd } from '../../e2e/http.fixture.ts';
import type { ConnectedGateway } from './connected-gateway.ts';
import type { StreamFormat } from './stream-frames.ts';

/** For each format, the streaming endpoint and the client that reads the stream. */
export const streamClients = {
  'chat-completions': {
    api: 'chat_completions',
    provider: 'openai',
    type: 'text/event-stream',
    path: () => '/v1/chat/completions',
    body: (model: string) => ({ model, stream: true, messages: [{ role: 'user', content: 'Hello.' }] }),
  },
  messages: {
    api: 'messages',
    provider: 'anthropic',
    type: 'text/event-stream',
    path: () => '/v1/messages',
    body: (model: string) => ({
      model,
      stream: true,
      max_tokens: 64,
      messages: [{ role: 'user', content: 'Hello.' }],
    }),
  },
  converse: {
    api: 'converse_stream',
    provider: 'hosted',
    type: 'application/vnd.amazon.eventstream',
    path: (model: string) => `/model/${encodeURIComponent(model)}/converse-stream`,
    body: () => ({ messages: [{ role: 'user', content: [{ text: 'Hello.' }] }] }),
  },
} as const;

export interface Received {
  readonly status: number;
  readonly bytes: Buffer;
  /** Whether the gateway reset the connection before the end of the response. */
  readonly isReset: boolean;
}

/** Requests a stream like a client of the format does, and reads the stream to its end. */
export async function askForStream(
  { baseUrl, apiKey }: Pick<ConnectedGateway, 'baseUrl' | 'apiKey'>,
  client: StreamFormat,
  model: string,
): Promise<Received> {
  const { path, body } = streamClients[client];
  const sent = { path: path(model), key: apiKey, body: body(model) };
  const { status, bytes, brokenBy } = await sendUntilEnd(baseUrl, sent);
  return { status, bytes, isReset: brokenBy?.code === 'ECONNRESET' };
}
