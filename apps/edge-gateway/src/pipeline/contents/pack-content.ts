import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, constants } from 'node:zlib';
import { requestContent, type RequestContent } from '@gateway/contracts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Brotli at quality 4 is about as fast as gzip and compresses better. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/**
 * Maximum length of uncompressed contents. The contents of a single request are always shorter than 32 MiB, even
 * with JSON escapes.
 */
const unpackedBytesMax = 32 * 1024 * 1024;

/**
 * Packs contents for encryption and for transfer over NATS. The function renders the contents as JSON,
 * compresses them outside the event loop, and encodes the result as base64.
 */
export async function packContent(content: RequestContent): Promise<string> {
  return (await compress(toJson(content), options)).toString('base64');
}

/** Synchronous form of `packContent`, for a worker thread that has no other work. */
export function packContentSync(content: RequestContent): string {
  return brotliCompressSync(toJson(content), options).toString('base64');
}

function toJson(content: RequestContent): Buffer {
  return Buffer.from(JSON.stringify(content));
}

/** @throws Error if the text was not packed by `packContent`. */
export async function unpackContent(packed: string): Promise<RequestContent> {
  const json = await decompress(Buffer.from(packed, 'base64'), { maxOutputLength: unpackedBytesMax });
  return requestContent.parse(JSON.parse(json.toString('utf8')));
}
