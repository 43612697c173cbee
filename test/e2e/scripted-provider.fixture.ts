import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as the provider got it. */
export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** When the caller's connection was gone, in milliseconds of `performance.now()`; undefined while it stands. */
  closedAt: number | undefined;
}

export type Script = (response: ServerResponse, call: ReceivedCall) => void | Promise<void>;

/** A provider on loopback that does what the test says, to the byte. */
export interface ScriptedProvider {
  /** For `base_url`. */
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** How calls are answered from now on. */
  answerWith(script: Script): void;
  close(): Promise<void>;
}

export async function startScriptedProvider(script: Script = sayHello): Promise<ScriptedProvider> {
  const calls: ReceivedCall[] = [];
  let current = script;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url = '', headers } = request;
    const call: ReceivedCall = { path: url, headers, body: Buffer.concat(chunks), closedAt: undefined };
    response.once('close', () => (call.closedAt = performance.now()));
    calls.push(call);
    await current(response, call);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    answerWith: (next) => (current = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A plain answer in which the model says something. */
export const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_795_000_000,
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
};

export const sayHello: Script = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
};

/** One frame of a stream, in which the model says `content`. */
export function chunkFrame(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}
