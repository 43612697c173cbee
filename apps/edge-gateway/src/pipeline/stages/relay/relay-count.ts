import { renderClientHeaders } from '@gateway/providers';
import { parseTokenCount } from '@gateway/wire-formats';
import { toUpstreamError } from '../../../upstream/upstream.port.ts';
import { readWhole } from '../../../upstream/answer-body.ts';
import type { UpstreamAnswer } from '../../../request/upstream-answer.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** An answer with a number in it is short. */
const countBytesMax = 64 * 1024;

/**
 * A provider's count of tokens, in its own bytes.
 * @throws GatewayError `upstream_invalid` for an answer that holds no count.
 */
export async function relayCount(answer: UpstreamAnswer, { headers, response }: Exchange): Promise<void> {
  const bytes = await readCount(answer);
  parseTokenCount(bytes);
  const passed = renderClientHeaders(answer.headers).headers;
  response.writeHead(answer.status, { ...passed, ...headers, 'content-length': String(bytes.length) });
  response.end(bytes);
}

async function readCount({ body }: UpstreamAnswer): Promise<Buffer> {
  try {
    return (await readWhole(body, countBytesMax)).bytes;
  } catch (error) {
    throw toUpstreamError(error);
  } finally {
    body.discard();
  }
}
