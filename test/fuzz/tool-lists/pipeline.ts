import { EventEmitter } from 'node:events';
import { GatewayError } from '@gateway/errors';
import { applyEdits, formatNamed, providerFormatNamed, scanJson } from '@gateway/wire-formats';
import { Conversation } from '../../../apps/edge-gateway/src/request/conversation.ts';
import type { Exchange } from '../../../apps/edge-gateway/src/pipeline/exchange/exchange.ts';
import { createAttempts } from '../../../apps/edge-gateway/src/pipeline/exchange/attempt.ts';
import { relay } from '../../../apps/edge-gateway/src/pipeline/stages/relay/relay.ts';
import { relayBytes } from '../../../apps/edge-gateway/src/proxy/relay.ts';
import type { ProxyTarget } from '../../../apps/edge-gateway/src/proxy/proxy-target.ts';
import type { Target } from '../../../apps/edge-gateway/src/request/request.ts';
import { restrictBody } from '../../../apps/edge-gateway/src/tool-lists/restrict-body.ts';
import { restrictTools } from '../../../apps/edge-gateway/src/pipeline/restrict-tools.ts';
import { permissionOf, type ToolLists } from '../../../apps/edge-gateway/src/tool-lists/tool-permission.ts';
import { AnswerBody } from '../../../apps/edge-gateway/src/upstream/answer-body.ts';
import type { Endpoint } from './evasive-requests.ts';
import type { ProviderAnswer } from './provider-answers.ts';
import type { Random } from './random.ts';

const depthMax = 128;

/**
 * Returns the bytes that the gateway sends upstream for a request body, or the error code that the client
 * gets.
 */
export function forwardedBytes(
  endpoint: Endpoint,
  body: Buffer,
  lists: ToolLists,
): readonly Buffer[] | string {
  try {
    if (endpoint === 'responses') {
      const permission = permissionOf(lists);
      const edits = permission === null ? [] : restrictBody(scanJson(body, { depthMax }), permission);
      return [Buffer.from(applyEdits(body, edits))];
    }
    return renderLanes(endpoint, body, lists);
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    if (error instanceof Error && error.name.startsWith('Json')) return 'malformed_json';
    throw error;
  }
}

/**
 * Returns the request in its own format, and its translation for a provider of another format.
 */
function renderLanes(format: Exclude<Endpoint, 'responses'>, bytes: Buffer, lists: ToolLists): Buffer[] {
  const wire = formatNamed(format);
  const route = { model: 'm', stream: false };
  const tape = scanJson(bytes, { depthMax });
  const outline = wire.client.outlineRequest(tape, route);
  const conversation = new Conversation(outline, bytes, null);
  const exchange = { format, route, sessionId: null } as unknown as Exchange;
  const request = restrictTools({ bytes, tape, outline, conversation, ownCredential: null }, exchange, lists);
  const edited = wire.editRequest({
    bytes: request.bytes,
    tape: request.tape,
    outline: request.outline,
    model: 'other',
  });
  const parsed = wire.client.parseRequest(scanJson(edited.bytes, { depthMax }), route);
  const other = format === 'messages' ? 'chat-completions' : 'messages';
  const { body } = providerFormatNamed(other).provider.renderRequest(parsed, {
    model: 'm',
    maxOutputTokensDefault: 5,
  });
  return [Buffer.from(edited.bytes), Buffer.from(JSON.stringify(body))];
}

/** Collects the bytes that the client receives. */
class ClientResponse extends EventEmitter {
  readonly chunks: Buffer[] = [];
  headersSent = false;
  writableEnded = false;
  writeHead(): this {
    this.headersSent = true;
    return this;
  }
  write(chunk: Uint8Array | string): boolean {
    this.chunks.push(Buffer.from(chunk));
    return true;
  }
  end(chunk?: Uint8Array | string): this {
    if (chunk !== undefined) this.write(chunk);
    this.writableEnded = true;
    return this;
  }
}

/** Relays a provider's response that is cut at an arbitrary position. Returns the bytes that the client receives. */
export async function relayedBytes(
  random: Random,
  endpoint: Endpoint,
  { contentType, bytes }: ProviderAnswer,
  lists: ToolLists,
): Promise<{ readonly bytes: Buffer; readonly denied: readonly string[] }> {
  const permission = permissionOf(lists);
  const response = new ClientResponse();
  const format = endpoint === 'responses' ? 'chat-completions' : endpoint;
  const exchange = {
    ...{
      requestId: 'r',
      format,
      response,
      headers: {},
      acceptedAt: new Date(0),
      abort: new AbortController(),
    },
    ...{ timings: { startedAt: 0 }, attempts: createAttempts() },
    ledger: { stream: contentType !== 'application/json', deniedTools: [] },
    ...(permission === null
      ? {}
      : { toolGuard: { permission, streamsUsage: false, toolsOffered: 0, isRestricted: false } }),
  } as unknown as Exchange;
  const body = new AnswerBody({ pause: () => undefined, resume: () => undefined, abort: () => undefined });
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random.below(bytes.length);
    body.push(bytes.subarray(at, end));
    at = end;
  }
  body.end();
  const none = (): void => undefined;
  const answer = {
    status: 200,
    headers: { 'content-type': contentType },
    body,
    secrets: [],
    begun: none,
    ended: none,
  };
  const target = { model: 'm', lane: { kind: 'same-format', format } } as unknown as Target;
  if (endpoint === 'responses')
    await relayBytes(answer, target as unknown as ProxyTarget, { isMapped: false, permission }, exchange);
  else await relay(answer, target, exchange, { log: console as never }, null);
  return { bytes: Buffer.concat(response.chunks), denied: exchange.ledger.deniedTools };
}
