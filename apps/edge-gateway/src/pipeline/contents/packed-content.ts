import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { requestContent, type RequestContent } from '@gateway/contracts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** About as fast as gzip, and smaller. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** More than two parts and their escapes ever are. */
const unpackedBytesMax = 32 * 1024 * 1024;

/** As it goes over the bus and is sealed: JSON, compressed beside the event loop, in base64. */
export async function packContent(content: RequestContent): Promise<string> {
  return (await compress(Buffer.from(JSON.stringify(content)), options)).toString('base64');
}

/** @throws for what was not packed here. */
export async function unpackContent(packed: string): Promise<RequestContent> {
  const json = await decompress(Buffer.from(packed, 'base64'), { maxOutputLength: unpackedBytesMax });
  return requestContent.parse(JSON.parse(json.toString('utf8')));
}
