import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { completion } from '../e2e/provider.fixture.ts';

export interface HangingProvider {
  readonly url: string;
  /** The open responses to requests under `/hangs`. The client has sent the whole request body and waits. */
  readonly waiting: ReadonlySet<ServerResponse>;
  /** Sends a response to all waiting requests. */
  answerAll(): void;
  close(): void;
}

/**
 * Starts a provider that reads and discards every request body. Requests under `/answers` get a response, and
 * requests under `/hangs` get none.
 */
export async function startHangingProvider(): Promise<HangingProvider> {
  const waiting = new Set<ServerResponse>();
  const answerNow = (response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(completion));
  };
  const answer = (received: IncomingMessage, response: ServerResponse): void => {
    response.once('close', () => waiting.delete(response));
    received.resume().once('end', () => {
      if (received.url?.startsWith('/hangs') === true) waiting.add(response);
      else answerNow(response);
    });
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    waiting,
    answerAll: () => waiting.forEach(answerNow),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
