import { GatewayError } from '@gateway/errors';
import { createSummary } from '@gateway/interchange';
import type { JsonFields } from '@gateway/providers';
import type { Exchange } from '../pipeline/exchange/exchange.ts';
import type { RelayOutcome } from '../pipeline/exchange/answer.ts';
import type { PassedAnswer } from '../pipeline/stages/relay/passed-answer.ts';
import { readWhole } from '../upstream/read-whole.ts';
import { toUpstreamError } from '../upstream/upstream-error.ts';
import type { OutgoingBody } from './outgoing-body.ts';
import { UsageReader } from './usage-reader.ts';

/** Of an answer that is read to be written anew: 2,048 vectors of 1,536 numbers are 40 MB. */
const answerBytesMax = 64 * 1024 * 1024;
const contentType = 'application/json';

/** An answer of a shape of the provider's own, read whole and told in the usual one. Throws only before the first byte. */
export async function relayMapped(
  { answer, headers, providerRequestId }: PassedAnswer,
  mapAnswer: NonNullable<OutgoingBody['mapAnswer']>,
  { response, timings }: Exchange,
): Promise<RelayOutcome> {
  const told = mapAnswer(await readFields(answer), answer.headers);
  const bytes = Buffer.from(JSON.stringify(told));
  timings.firstByteAt ??= performance.now();
  answer.begun();
  response.writeHead(answer.status, {
    ...headers,
    'content-type': contentType,
    'content-length': String(bytes.length),
  });
  response.end(bytes);
  const reader = new UsageReader(contentType);
  reader.push(Buffer.from(JSON.stringify({ usage: told['usage'], meta: told['meta'] })));
  const usage = reader.end();
  return {
    status: 'ok',
    httpStatus: answer.status,
    errorCode: null,
    errorMessage: null,
    errorDetail: null,
    providerRequestId,
    summary: usage === undefined ? null : { ...createSummary(), usage },
  };
}

async function readFields({ body }: PassedAnswer['answer']): Promise<JsonFields> {
  const { bytes, isWhole } = await readWhole(body, answerBytesMax).catch((error: unknown) => {
    throw toUpstreamError(error);
  });
  if (!isWhole) {
    body.discard();
    throw new GatewayError('upstream_invalid', { detail: `an answer of more than ${answerBytesMax} bytes` });
  }
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null) return parsed as JsonFields;
  } catch {
    // Told below.
  }
  throw new GatewayError('upstream_invalid', { detail: 'an answer that is no JSON object' });
}
