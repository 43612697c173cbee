import type { ProxyEndpoint } from '@gateway/providers';
import { applyDecorators, Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { serveChat } from '../../http/serve-chat.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { proxyRequest } from '../../proxy/proxy-request.ts';
import { tokens } from '../../tokens.ts';
import { describeProxy } from './proxies.operations.ts';

const Proxy = (endpoint: ProxyEndpoint) =>
  applyDecorators(Post(`/v1/${endpoint}`), AllowAccess('pipeline'), Describe(describeProxy(endpoint)));

/** The endpoints that pass a request on without planning. See docs/guides/proxied-endpoints.md. */
@Controller()
export class ProxiesRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
  }

  @Proxy('completions')
  complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('completions', request, reply);
  }

  @Proxy('embeddings')
  embed(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('embeddings', request, reply);
  }

  @Proxy('responses')
  respond(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('responses', request, reply);
  }

  @Proxy('images/generations')
  generateImage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('images/generations', request, reply);
  }

  @Proxy('images/edits')
  editImage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('images/edits', request, reply);
  }

  @Proxy('images/variations')
  varyImage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('images/variations', request, reply);
  }

  @Proxy('audio/transcriptions')
  transcribe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('audio/transcriptions', request, reply);
  }

  @Proxy('audio/speech')
  speak(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('audio/speech', request, reply);
  }

  @Proxy('moderations')
  moderate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('moderations', request, reply);
  }

  @Proxy('rerank')
  rerank(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('rerank', request, reply);
  }

  @Proxy('ocr')
  readDocument(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('ocr', request, reply);
  }

  @Proxy('videos/generations')
  generateVideo(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('videos/generations', request, reply);
  }

  #pass(endpoint: ProxyEndpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = `/v1/${endpoint}`;
    return serveChat(
      request,
      reply,
      { path, format: 'chat-completions' },
      this.#services,
      (exchange, services) => proxyRequest(exchange, services, endpoint),
    );
  }
}
