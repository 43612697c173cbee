import type { ServerResponse } from 'node:http';

/**
 * Whether an answer went out to its end. Under HTTP/2 a stream that the client reset counts as finished, though nobody
 * ended it.
 */
export function isAnswered(response: ServerResponse): boolean {
  return response.writableEnded && response.writableFinished;
}
