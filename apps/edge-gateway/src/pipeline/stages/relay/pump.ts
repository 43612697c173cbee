import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { isAnswered } from '../../../http/is-answered.ts';

/**
 * Reads a provider's body to its end, as fast as the client takes it: `take` gives what goes to the client of each
 * chunk, and reading stops while the client's buffer is full, so a stalled reader holds a bounded amount.
 *
 * Rejects with the body's own error, with what `take` threw, or with an `AbortError` when the client has left.
 */
export function pump(
  body: Readable,
  response: ServerResponse,
  take: (chunk: Buffer) => readonly Uint8Array[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      // Only the first reason counts; the rest is the echo of our own destroying.
      body.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    body.on('data', (chunk: Buffer) => {
      try {
        let hasRoom = true;
        for (const part of take(chunk)) hasRoom = response.write(part);
        if (hasRoom) return;
      } catch (error) {
        fail(error);
        return;
      }
      body.pause();
      response.once('drain', () => body.resume());
    });
    body.once('end', resolve);
    body.once('error', fail);
    body.once('close', () => {
      if (!body.readableEnded) fail(new Error('the connection was closed before the answer was complete'));
    });
    response.once('close', () => {
      if (!isAnswered(response)) fail(new DOMException('the client left', 'AbortError'));
    });
  });
}
