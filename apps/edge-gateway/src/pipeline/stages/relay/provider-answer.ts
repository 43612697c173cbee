import { GatewayError } from '@gateway/errors';
import { renderClientHeaders } from '@gateway/providers';
import type { ClientWireFormat } from '@gateway/wire-formats';
import type { ServerResponse } from 'node:http';
import type { UpstreamAnswer } from '../../../upstream/upstream.port.ts';
import {
  noteWithoutDeferral,
  renderAnswerHeaders,
  renderToolCounts,
  type Exchange,
} from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import { isAnswered } from '../../../request/http-response.ts';
import type { AnswerBody } from '../../../upstream/answer-body.ts';

/** A provider's response, with the headers that the client receives. */
export interface ProviderAnswer {
  readonly answer: UpstreamAnswer;
  readonly headers: Readonly<Record<string, string>>;
  readonly providerRequestId: string | null;
}

/**
 * Opens a provider's response and renders the headers for the client.
 * @throws GatewayError `upstream_invalid` for a content encoding that the gateway does not accept
 */
export function openProviderAnswer(answer: UpstreamAnswer, exchange: Exchange): ProviderAnswer {
  const { headers, providerRequestId, contentEncoding } = renderClientHeaders(answer.headers);
  if (contentEncoding !== null)
    throw rejectAnswer(answer, `content-encoding ${contentEncoding}, which the gateway does not accept`);
  const { deferral, attempts } = exchange;
  const target = attempts.current?.target;
  if (deferral !== undefined && target !== undefined && !deferral.appliesAt(target))
    noteWithoutDeferral(exchange);
  return { answer, headers: { ...headers, ...renderAnswerHeaders(exchange) }, providerRequestId };
}

export function rejectAnswer(answer: UpstreamAnswer, detail: string): GatewayError {
  answer.body.discard();
  return new GatewayError('upstream_invalid', { detail: `the provider answered with ${detail}` });
}

/**
 * Writes the outcome of recovery rounds to the log and, if the response has not begun, to the response
 * headers. After the response has begun, the outcome of recovery rounds appears only in the log.
 */
export function applyRounds(exchange: Exchange, rounds: RecoveryRounds): void {
  const { ledger, headers } = exchange;
  const { recovered } = rounds;
  ledger.recoveredTools = [...recovered];
  ledger.recoveryRounds = rounds.count;
  ledger.toolsOut = rounds.hasEveryTool ? ledger.toolsIn : ledger.toolsSent + rounds.definitionsAdded;
  if (exchange.response.headersSent) return;
  if (ledger.toolsOffered > 0) renderToolCounts(exchange);
  if (recovered.length > 0) headers['x-svc-recovered'] = String(recovered.length);
}

/** The content types for server-sent events and for AWS's binary frames. */
const streamTypes = ['text/event-stream', 'application/vnd.amazon.eventstream'];

/**
 * Returns whether a response is a stream. Some providers send streams without a `content-type` header. No
 * provider sends a stream with a JSON content type.
 */
export function isStream({ headers }: ProviderAnswer, { ledger }: Exchange): boolean {
  const declared = (headers['content-type'] ?? '').trimStart().toLowerCase();
  return streamTypes.some((type) => declared.startsWith(type)) || (declared === '' && ledger.stream);
}

/**
 * Every line of a server-sent event starts with one of these bytes. A line is a comment, or starts with `data`,
 * `event`, `id` or `retry`.
 */
const eventBytes = new Set(Buffer.from('deir:'));

/**
 * Corrects the content type of a stream that the provider labels as JSON. The function recognizes events by the
 * first byte of the body. Responses that need no correction are returned unchanged.
 */
export async function relabelStream(
  passed: ProviderAnswer,
  { client }: ClientWireFormat,
): Promise<ProviderAnswer> {
  const bytes = await passed.answer.body.peek();
  const first = bytes.find((byte) => byte > 0x20);
  if (first === undefined || !eventBytes.has(first)) return passed;
  return { ...passed, headers: { ...passed.headers, 'content-type': client.streamContentType } };
}

/**
 * Reads a provider's response body to its end, as fast as the client reads the response. For each chunk, the
 * function `take` returns the bytes that the client receives. Reading pauses while the client's buffer is full, so
 * that a stalled client uses a bounded amount of memory. Rejects with the body's own error, with an error from
 * `take`, or with an `AbortError` if the client has disconnected.
 */
export function pump(
  body: AnswerBody,
  response: ServerResponse,
  take: (chunk: Buffer) => readonly Uint8Array[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once('close', () => {
      if (isAnswered(response)) return;
      // Closing the response body may cause another rejection, but only the first rejection has an effect.
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
