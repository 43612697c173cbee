import type { ServerResponse } from 'node:http';
import { isAnswered } from '../../../request/http-response.ts';
import type { AnswerBody } from '../../../upstream/answer-body.ts';

/**
 * Reads a provider's body to its end, as fast as the client takes it: `take` gives what goes to the client of each
 * chunk, and reading stops while the client's buffer is full, so a stalled reader holds a bounded amount.
 *
 * Rejects with the body's own error, with what `take` threw, or with an `AbortError` when the client has left.
 */
export function pump(
  body: AnswerBody,
  response: ServerResponse,
  take: (chunk: Buffer) => readonly Uint8Array[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once('close', () => {
      if (isAnswered(response)) return;
      // Only the first reason counts; the rest is the echo of our own discarding.
      reject(new DOMException('the client left', 'AbortError'));
      body.discard();
    });
    body.read({
      take(chunk) {
        let hasRoom = true;
        for (const part of take(chunk)) hasRoom = response.write(part);
        if (!hasRoom) response.once('drain', () => body.resume());
        return hasRoom;
      },
      end: resolve,
      fail: reject,
    });
  });
}
