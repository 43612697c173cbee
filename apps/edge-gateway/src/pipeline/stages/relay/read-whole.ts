import type { Readable } from 'node:stream';

/** What was read of a body: whole, or as far as the bound, with the rest still to come. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Reads a body up to a bound. Past it the body is left paused, for whoever goes on. Rejects with the body's error. */
export function readWhole(body: Readable, bytesMax: number): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (isWhole: boolean): void => {
      body.off('data', take).off('end', end).off('close', cut).off('error', reject);
      resolve({ bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size), isWhole });
    };
    const end = (): void => done(true);
    const cut = (): void => reject(new Error('the connection was closed before the answer was complete'));
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= bytesMax) return;
      body.pause();
      done(false);
    };
    body.on('data', take).once('end', end).once('close', cut).once('error', reject);
  });
}
