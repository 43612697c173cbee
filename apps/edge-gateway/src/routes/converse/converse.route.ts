import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess } from '../../http/access.ts';
import { serveChat } from '../../http/serve-chat.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { tokens } from '../../tokens.ts';

const path = '/model/{id}/converse';

/**
 * `POST /model/{id}/converse` and `/converse-stream`: the converse format. The model stands in the address, one
 * percent-encoded segment (model ids hold colons, ARNs slashes), which the router has decoded.
 */
@Controller('/model/:model')
export class ConverseRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
  }

  @Post('/converse')
  @AllowAccess('pipeline')
  create(
    @Param('model') model: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const endpoint = { path, format: 'converse', route: { model, stream: false } } as const;
    return serveChat(request, reply, endpoint, this.#services);
  }

  @Post('/converse-stream')
  @AllowAccess('pipeline')
  stream(
    @Param('model') model: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const endpoint = { path: `${path}-stream`, format: 'converse', route: { model, stream: true } } as const;
    return serveChat(request, reply, endpoint, this.#services);
  }
}
