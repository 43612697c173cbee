import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { chatCompletionsEndpoint } from '../../http/direct-chat.ts';
import { serveChat } from '../../http/serve-chat.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { tokens } from '../../tokens.ts';
import { createChatCompletion } from './chat-completions.operations.ts';

/** `POST /v1/chat/completions`: the chat-completions format, plain and streamed. See docs/internals/request-path.md. */
@Controller()
export class ChatCompletionsRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
  }

  @Post(chatCompletionsEndpoint.path)
  @AllowAccess('pipeline')
  @Describe(createChatCompletion)
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return serveChat(request, reply, chatCompletionsEndpoint, this.#services);
  }
}
