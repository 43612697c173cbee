import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { countTokens } from '../../pipeline/count-tokens.ts';
import { PIPELINE_SERVICES, type PipelineServices } from '../../pipeline/services.ts';
import { createChatCompletion } from './chat-completions.operations.ts';
import { converse, converseStream } from './converse.operations.ts';
import { countMessageTokens, createMessage } from './messages.operations.ts';
import { chatCompletionsEndpoint, messagesEndpoint, serveChat } from './serve-chat.ts';

const countPath = `${messagesEndpoint.path}/count_tokens`;
const conversePath = '/model/{id}/converse';

/**
 * The chat endpoints in all three formats. Requests to the chat endpoints are authenticated in the pipeline.
 * See docs/internals/request-path.md.
 */
@Controller()
@AllowAccess('pipeline')
export class ChatRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(PIPELINE_SERVICES) services: PipelineServices) {
    this.#services = services;
  }

  @Post(chatCompletionsEndpoint.path)
  @Describe(createChatCompletion)
  createChatCompletion(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return serveChat(request, reply, chatCompletionsEndpoint, this.#services);
  }

  @Post(messagesEndpoint.path)
  @Describe(createMessage)
  createMessage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return serveChat(request, reply, messagesEndpoint, this.#services);
  }

  @Post(countPath)
  @Describe(countMessageTokens)
  countTokens(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const endpoint = { path: countPath, format: 'messages' } as const;
    return serveChat(request, reply, endpoint, this.#services, countTokens);
  }

  /**
   * The model in the path is a single percent-encoded path segment, because model ids contain colons and ARNs
   * contain slashes.
   */
  @Post('/model/:id/converse')
  @Describe(converse)
  converse(
    @Param('id') model: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const route = { model, stream: false };
    return serveChat(request, reply, { path: conversePath, format: 'converse', route }, this.#services);
  }

  @Post('/model/:id/converse-stream')
  @Describe(converseStream)
  converseStream(
    @Param('id') model: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const route = { model, stream: true };
    const path = `${conversePath}-stream`;
    return serveChat(request, reply, { path, format: 'converse', route }, this.#services);
  }
}
