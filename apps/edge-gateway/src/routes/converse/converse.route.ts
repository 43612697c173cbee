import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { serveChat } from '../../http/serve-chat.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { tokens } from '../../tokens.ts';
import { converse, converseStream } from './converse.operations.ts';

const path = '/model/{id}/converse';

/**
 * `POST /model/{id}/converse` and `/converse-stream`: the converse format. The model stands in the address, one
 * percent-encoded segment (model ids hold colons, ARNs slashes), which the router has decoded.
 */
@Controller('/model/:id')
export class ConverseRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
  }

  @Post('/converse')
  @AllowAccess('pipeline')
  @Describe(converse)
  create(
    @Param('id') model: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const endpoint = { path, format: 'converse', route: { model, stream: false } } as const;
    return serveChat(request, reply, endpoint, this.#services);
  }

  @Post('/converse-stream')
  @AllowAccess('pipeline')
  @Describe(converseStream)
  stream(
    @Param('id') model: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const endpoint = { path: `${path}-stream`, format: 'converse', route: { model, stream: true } } as const;
    return serveChat(request, reply, endpoint, this.#services);
  }
}
