import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientFormat } from '@gateway/interchange';
import { startRequestTrace } from '@gateway/observability';
import { formatNamed, type RequestRoute } from '@gateway/wire-formats';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createExchange, type Exchange } from '../pipeline/exchange/exchange.ts';
import { handleRequest } from '../pipeline/handle-request.ts';
import type { PipelineServices } from '../pipeline/services.ts';

/** What a chat endpoint is, whoever calls it. */
export interface ChatEndpoint {
  /** As the interface writes it; the log says it. */
  readonly path: string;
  readonly format: ClientFormat;
  /** For a format whose requests name their model in the address. */
  readonly route?: RequestRoute;
}

/** A request with its id, as Node has it. */
export interface RawRequest {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers an exchange, whatever becomes of it. */
type Story = (exchange: Exchange, services: PipelineServices) => Promise<void>;

/** Takes a request out of Fastify's hands and through the pipeline, inside its trace. */
export function serveChat(
  { id, raw: request }: FastifyRequest,
  reply: FastifyReply,
  endpoint: ChatEndpoint,
  services: PipelineServices,
  story: Story = handleRequest,
): Promise<void> {
  reply.hijack();
  return serveRaw({ requestId: id, request, response: reply.raw }, endpoint, services, story);
}

/** The same for one that Fastify never had. */
export async function serveRaw(
  { requestId, request, response }: RawRequest,
  { path, format, route }: ChatEndpoint,
  services: PipelineServices,
  story: Story = handleRequest,
): Promise<void> {
  const trace = startRequestTrace(incomingTrace(request), `POST ${path}`);
  const exchange = createExchange({ requestId, endpoint: path, format, route, request, response, trace });
  const ownHeader = formatNamed(format).client.requestIdHeader;
  if (ownHeader !== null) exchange.headers[ownHeader] = requestId;
  await trace.run(() => story(exchange, services));
  trace.end();
}

function incomingTrace({ headers }: IncomingMessage): string | undefined {
  return typeof headers['traceparent'] === 'string' ? headers['traceparent'] : undefined;
}
