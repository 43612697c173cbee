import type { AnswerBody } from './answer-body.ts';

/** What was read of a body: whole, or as far as the bound, with the rest still to come. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Reads a body up to a bound. Past it the body stands still: whoever reads discards it. Rejects with the body's error. */
export function readWhole(body: AnswerBody, bytesMax: number): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (isWhole: boolean): void =>
      resolve({ bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size), isWhole });
    body.read({
      take(chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= bytesMax) return true;
        done(false);
        return false;
      },
      end: () => done(true),
      fail: reject,
    });
  });
}

/** Errors are short; the rest of a longer one is not waited for. */
const unwantedBytesMax = 64 * 1024;

/**
 * Lets a body go by that nobody wants: read to its end, its call counts as answered and its connection can be used again, where
 * one that is discarded breaks off.
 */
export function passOver(body: AnswerBody): void {
  readWhole(body, unwantedBytesMax).then(
    () => body.discard(),
    () => undefined,
  );
}
