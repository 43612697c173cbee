import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientFormat } from '@gateway/interchange';
import { startRequestTrace, type IncomingTrace } from '@gateway/observability';
import { formatNamed, type RequestRoute } from '@gateway/wire-formats';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createExchange, type Exchange } from '../../pipeline/exchange/exchange.ts';
import { handleRequest } from '../../pipeline/handle-request.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import type { PipelineSettings } from '../../request/settings.ts';

/** A chat endpoint in the public interface. */
export interface ChatEndpoint {
  /** Path of the endpoint as it appears in the log. */
  readonly path: string;
  readonly format: ClientFormat;
  /** The model and the streaming mode from the path. Present only for formats with the model in the path. */
  readonly route?: RequestRoute;
}

/** A request with its id, as received by Node's HTTP server. */
export interface RawRequest {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The chat endpoints that take the model from the body. */
export const chatCompletionsEndpoint = {
  path: '/v1/chat/completions',
  format: 'chat-completions',
} as const satisfies ChatEndpoint;
export const messagesEndpoint = { path: '/v1/messages', format: 'messages' } as const satisfies ChatEndpoint;

/** Handles an exchange from authentication until the response ends. The promise never rejects. */
type HandleExchange = (exchange: Exchange, services: PipelineServices) => Promise<void>;

/**
 * Runs a routed request through the pipeline, as part of the request's trace. The pipeline sends the response.
 * Fastify sends nothing.
 */
export function serveChat(
  { id, raw: request }: FastifyRequest,
  reply: FastifyReply,
  endpoint: ChatEndpoint,
  services: PipelineServices,
  handle: HandleExchange = handleRequest,
): Promise<void> {
  reply.hijack();
  return serveRaw({ requestId: id, request, response: reply.raw }, endpoint, services, handle);
}

/** Runs the request pipeline for a request that bypassed Fastify. */
export async function serveRaw(
  { requestId, request, response }: RawRequest,
  { path, format, route }: ChatEndpoint,
  services: PipelineServices,
  handle: HandleExchange = handleRequest,
): Promise<void> {
  const trace = startRequestTrace(
    readIncomingTrace(request, services.settings),
    `${request.method ?? 'POST'} ${path}`,
  );
  const exchange = createExchange({ requestId, endpoint: path, format, route, request, response, trace });
  const formatHeader = formatNamed(format).client.requestIdHeader;
  if (formatHeader !== null) exchange.headers[formatHeader] = requestId;
  const scoped = services.accountModels.scope(services);
  await trace.run(() => handle(exchange, scoped));
  trace.end();
}

function readIncomingTrace(
  { headers, socket }: IncomingMessage,
  settings: Pick<PipelineSettings, 'isTraceTrusted'>,
): IncomingTrace | undefined {
  const traceparent = headers['traceparent'];
  if (typeof traceparent !== 'string') return undefined;
  return { headers: traceparent, isTrusted: settings.isTraceTrusted(socket.remoteAddress) };
}
