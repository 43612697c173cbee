import type { ConnectedGateway } from './connected-gateway.ts';
import type { StreamFormat } from './stream-frames.ts';

/** The streaming endpoint for each format, and the client that reads from this endpoint. */
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
}

/** Requests a stream as a client of the format does, and reads the stream to its end. */
export async function askForStream(
  { baseUrl, apiKey }: Pick<ConnectedGateway, 'baseUrl' | 'apiKey'>,
  client: StreamFormat,
  model: string,
): Promise<Received> {
  const { path, body } = streamClients[client];
  const answer = await fetch(baseUrl + path(model), {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body(model)),
  });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
}
