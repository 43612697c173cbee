import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { messagesEndpoint } from '../../http/direct-chat.ts';
import { serveChat } from '../../http/serve-chat.ts';
import { countTokens } from '../../pipeline/count-tokens.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { tokens } from '../../tokens.ts';
import { countMessageTokens, createMessage } from './messages.operations.ts';

const countPath = `${messagesEndpoint.path}/count_tokens`;

/** `POST /v1/messages`: the messages format, plain and streamed; and `/v1/messages/count_tokens`. */
@Controller()
export class MessagesRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
  }

  @Post(messagesEndpoint.path)
  @AllowAccess('pipeline')
  @Describe(createMessage)
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return serveChat(request, reply, messagesEndpoint, this.#services);
  }

  @Post(countPath)
  @AllowAccess('pipeline')
  @Describe(countMessageTokens)
  count(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const endpoint = { path: countPath, format: 'messages' } as const;
    return serveChat(request, reply, endpoint, this.#services, countTokens);
  }
}
