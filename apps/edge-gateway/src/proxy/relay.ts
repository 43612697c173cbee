import { GatewayError } from '@gateway/errors';
import { createSummary, type TokenUsage } from '@gateway/interchange';
import type { JsonFields } from '@gateway/providers';
import { formatsOf, renderClientHeaders } from '@gateway/providers';
import { resetConnection } from '../request/http-response.ts';
import type { UpstreamAnswer } from '../upstream/upstream.port.ts';
import type { RelayOutcome } from '../pipeline/exchange/answer.ts';
import { hasLeft, renderAnswerHeaders, type Exchange } from '../pipeline/exchange/exchange.ts';
import type { Lane } from '../request/request.ts';
import { answerMemoryFactor } from '../pipeline/stages/relay/relay-plain.ts';
import { openResponseWriter } from '../pipeline/stages/relay/response-writer.ts';
import type { ProviderAnswer } from '../pipeline/stages/relay/provider-answer.ts';
import { pump } from '../pipeline/stages/relay/provider-answer.ts';
import { breakOff, relayProviderError, truncatedStream } from '../pipeline/stages/relay/relay-errors.ts';
import { toUpstreamError } from '../upstream/upstream.port.ts';
import type { OutgoingBody } from './outgoing-body.ts';
import type { ProxyTarget } from './proxy-target.ts';
import { ResponsesAnswer } from '../tool-lists/responses-answer.ts';
import type { ToolPermission } from '../tool-lists/tool-permission.ts';
import { UsageReader } from './usage-reader.ts';
import { readWhole } from '../upstream/answer-body.ts';

/** The rules for how a response is sent to the client. */
interface AnswerRules extends Pick<OutgoingBody, 'isMapped' | 'mapAnswer'> {
  /**
   * The tools that the API key may use. Null if the API key may use all tools, or if the response cannot have
   * tool calls.
   */
  readonly permission: ToolPermission | null;
}

/**
 * Forwards the provider's response byte for byte. The response may be JSON, an event stream or audio. A
 * response with a provider-specific structure is converted first. Calls to denied tools are removed from the
 * response. The function throws only before the first byte is sent.
 */
export async function relayBytes(
  answer: UpstreamAnswer,
  target: ProxyTarget,
  { isMapped, mapAnswer, permission }: AnswerRules,
  exchange: Exchange,
): Promise<RelayOutcome> {
  const { headers, providerRequestId, contentEncoding } = renderClientHeaders(answer.headers);
  const passed = {
    answer,
    headers: { ...headers, ...lengthOf(answer), ...renderAnswerHeaders(exchange) },
    providerRequestId,
  };
  if (contentEncoding !== null || answer.status < 200 || (answer.status >= 300 && answer.status < 400)) {
    answer.body.discard();
    const detail = `the provider answered with status ${answer.status}, content-encoding ${contentEncoding ?? 'none'}`;
    throw new GatewayError('upstream_invalid', { detail });
  }
  if (answer.status >= 400) {
    const [own] = isMapped ? formatsOf(target.provider) : [];
    const lane: Lane = own === undefined ? usualLane : { kind: 'translated', format: own };
    const errorWriter = openResponseWriter({ ...target, lane }, exchange, null);
    return relayProviderError(
      { ...passed, headers: { ...headers, ...renderAnswerHeaders(exchange) } },
      errorWriter,
      exchange,
    );
  }
  if (mapAnswer !== undefined) return relayMapped(passed, mapAnswer, exchange);
  if (permission === null) return passBytes(passed, exchange);
  return relayChecked(
    { ...passed, headers: { ...headers, ...renderAnswerHeaders(exchange) } },
    permission,
    exchange,
  );
}

/**
 * The lane for requests that the gateway forwards unchanged. Credentials and errors are handled as for chat
 * requests.
 */
export const usualLane: Lane = { kind: 'same-format', format: 'chat-completions' };

function lengthOf({ headers }: UpstreamAnswer): Record<string, string> {
  const length = headers['content-length'];
  return typeof length === 'string' ? { 'content-length': length } : {};
}

/**
 * Relays a response for an API key that has allow or deny lists of tools. A non-streaming response is read
 * completely before it is sent.
 */
async function relayChecked(
  passed: ProviderAnswer,
  permission: ToolPermission,
  exchange: Exchange,
): Promise<RelayOutcome> {
  const answer = new ResponsesAnswer(permission);
  const isStream = (passed.headers['content-type'] ?? '').includes('event-stream');
  try {
    return isStream ? await passBytes(passed, exchange, answer) : await relayWhole(passed, exchange, answer);
  } finally {
    exchange.ledger.deniedTools = answer.names;
  }
}

async function relayWhole(
  passed: ProviderAnswer,
  { response, timings, turn }: Exchange,
  checked: ResponsesAnswer,
): Promise<RelayOutcome> {
  const { answer, headers } = passed;
  const bytes = checked.renderPlain(await readAll(answer, { turn }));
  timings.firstByteAt ??= performance.now();
  answer.begun();
  response.writeHead(answer.status, { ...headers, 'content-length': String(bytes.length) });
  response.end(bytes);
  const reader = new UsageReader(contentType);
  reader.push(bytes);
  return renderSuccess(passed, reader.end());
}

/**
 * Relays the response byte for byte.
 * @param checked a function that removes tool calls from a stream of the Responses API. Without `checked`,
 * the response is relayed unchanged.
 */
async function passBytes(
  passed: ProviderAnswer,
  exchange: Exchange,
  checked?: ResponsesAnswer,
): Promise<RelayOutcome> {
  const { response, timings } = exchange;
  const type = passed.headers['content-type'] ?? '';
  exchange.ledger.stream = type.includes('event-stream');
  const isResponses = exchange.ledger.stream && exchange.format === 'responses';
  const usage = new UsageReader(type, isResponses);
  const start = (): void => {
    timings.firstByteAt ??= performance.now();
    passed.answer.begun();
    if (!response.headersSent) response.writeHead(passed.answer.status, passed.headers);
  };
  try {
    await pump(passed.answer.body, response, (chunk) => {
      start();
      const parts = checked === undefined ? [chunk] : checked.push(chunk);
      usage.push(chunk);
      if (isResponses && usage.hasEnded) passed.answer.ended();
      return parts;
    }).catch((error: unknown) => {
      // A connection reset after the last event does not affect the response.
      if (!isResponses || !usage.hasEnded) throw error;
    });
    for (const part of checked?.end() ?? []) response.write(part);
    if (isResponses && !usage.mayHaveEnded) throw truncatedStream;
  } catch (error) {
    return endBroken(toUpstreamError(error), passed, exchange, usage.end());
  }
  start();
  response.end();
  return renderSuccess(passed, usage.end());
}

function renderSuccess(
  { answer, providerRequestId }: Pick<ProviderAnswer, 'answer' | 'providerRequestId'>,
  usage: TokenUsage | undefined,
): RelayOutcome {
  return {
    status: 'ok',
    httpStatus: answer.status,
    errorCode: null,
    errorMessage: null,
    errorDetail: null,
    providerRequestId,
    summary: summaryOf(usage),
  };
}

function summaryOf(usage: TokenUsage | undefined): RelayOutcome['summary'] {
  return usage === undefined ? null : { ...createSummary(), usage };
}

/**
 * Ends an incomplete response. An event stream is ended in the same way as in `breakOff`. For a response that is not
 * a stream, the connection is reset.
 * @param usage the token usage that the provider has reported so far. Undefined if the provider reported no
 * usage.
 */
function endBroken(
  error: GatewayError,
  passed: ProviderAnswer,
  exchange: Exchange,
  usage: TokenUsage | undefined,
): RelayOutcome {
  const { response, ledger } = exchange;
  const left = hasLeft(exchange);
  if (!left && !response.headersSent) throw error;
  // The line breaks before the error event terminate an incomplete event.
  // The client would parse an unterminated event and the error event as one event.
  if (!left && ledger.stream) breakOff(error, exchange, '\n\n');
  else if (!left) resetConnection(response);
  return {
    status: left ? 'cancelled' : 'truncated',
    httpStatus: response.headersSent ? passed.answer.status : null,
    errorCode: left ? null : error.code,
    errorMessage: left ? null : error.message,
    errorDetail: error.detail ?? null,
    providerRequestId: passed.providerRequestId,
    summary: summaryOf(usage),
  };
}

/**
 * Maximum length in bytes of a response that is converted. A response with 2,048 vectors of 1,536 numbers
 * takes 40 MB.
 */
const answerBytesMax = 64 * 1024 * 1024;
const contentType = 'application/json';

/**
 * Reads a whole response and converts it to the interchange. The function throws only before the
 * first byte is sent.
 */
async function relayMapped(
  { answer, headers, providerRequestId }: ProviderAnswer,
  mapAnswer: NonNullable<OutgoingBody['mapAnswer']>,
  { response, timings, turn }: Exchange,
): Promise<RelayOutcome> {
  const mapped = mapAnswer(await readFields(answer, { turn }), answer.headers);
  const bytes = Buffer.from(JSON.stringify(mapped));
  timings.firstByteAt ??= performance.now();
  answer.begun();
  response.writeHead(answer.status, {
    ...headers,
    'content-type': contentType,
    'content-length': String(bytes.length),
  });
  response.end(bytes);
  const reader = new UsageReader(contentType);
  reader.push(Buffer.from(JSON.stringify({ usage: mapped['usage'], meta: mapped['meta'] })));
  return renderSuccess({ answer, providerRequestId }, reader.end());
}

async function readAll(
  { body }: Pick<ProviderAnswer['answer'], 'body'>,
  { turn }: Pick<Exchange, 'turn'>,
): Promise<Buffer> {
  const reserve = (length: number): void => turn?.memory.add(length * answerMemoryFactor);
  const { bytes, isWhole } = await readWhole(body, answerBytesMax, reserve).catch((error: unknown) => {
    throw toUpstreamError(error);
  });
  if (isWhole) return bytes;
  body.discard();
  throw new GatewayError('upstream_invalid', {
    detail: `the response has more than ${answerBytesMax} bytes`,
  });
}

async function readFields(
  { body }: Pick<ProviderAnswer['answer'], 'body'>,
  exchange: Pick<Exchange, 'turn'>,
): Promise<JsonFields> {
  return parseFields(await readAll({ body }, exchange));
}

/** @throws GatewayError `upstream_invalid` if the response is not a JSON object */
export function parseFields(bytes: Buffer): JsonFields {
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null) return parsed as JsonFields;
  } catch {
    // A body that is not JSON leads to the same error as JSON that is not an object.
  }
  throw new GatewayError('upstream_invalid', { detail: 'the response is not a JSON object' });
}
