import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/errors';

/**
 * Reads a body whole, up to a bound. A declared length over the bound is refused without reading; one that lies is
 * refused at the bound. Throws `request_too_large`, or the stream's own error when the client leaves.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  // Of a client that has left already no event comes any more.
  if (request.destroyed || request.readableEnded) throw clientLeft();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      reject(tooLarge(bytesMax));
    });
    request.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)),
    );
    request.once('error', reject);
    request.once('aborted', () => reject(clientLeft()));
  });
}

export function clientLeft(): Error {
  return new Error('the client left while sending its request');
}

export function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('request_too_large', { message: `The body is larger than ${bytesMax} bytes.` });
}

/** Throws `unsupported_media_type` unless the body is declared as JSON. */
export function requireJson(request: IncomingMessage): void {
  const declared = request.headers['content-type'] ?? '';
  const mediaType = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (mediaType !== 'application/json') throw new GatewayError('unsupported_media_type');
}
