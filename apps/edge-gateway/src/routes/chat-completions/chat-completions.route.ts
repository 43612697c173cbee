import { startRequestTrace } from '@gateway/observability';
import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess } from '../../http/access.ts';
import { createExchange } from '../../pipeline/exchange.ts';
import { handleRequest } from '../../pipeline/handle-request.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { tokens } from '../../tokens.ts';

const endpoint = '/v1/chat/completions';

/** `POST /v1/chat/completions`: the chat-completions format, plain and streamed. See docs/request-path.md. */
@Controller()
export class ChatCompletionsRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
  }

  @Post(endpoint)
  @AllowAccess('pipeline')
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    const trace = startRequestTrace(incomingTrace(request), `POST ${endpoint}`);
    const exchange = createExchange({
      requestId: request.id,
      endpoint,
      format: 'chat-completions',
      request: request.raw,
      response: reply.raw,
      trace,
    });
    await trace.run(() => handleRequest(exchange, this.#services));
    trace.end();
  }
}

function incomingTrace({ headers }: FastifyRequest): string | undefined {
  return typeof headers['traceparent'] === 'string' ? headers['traceparent'] : undefined;
}
