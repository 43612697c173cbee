import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticateHeaders } from '../request/authenticate-headers.ts';
import { countRequest, renderRateHeaders, requireRoom } from '../rate-limits/count-request.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { tokens } from '../tokens.ts';

/**
 * Counts requests of routes that take an API key and do not go through the pipeline, in the same window and with the same
 * headers as chat requests. Throws `rate_limit_exceeded`.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  readonly #services: PipelineServices;

  constructor(@Inject(tokens.pipeline) services: PipelineServices) {
    this.#services = services;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const caller = await authenticateHeaders(
      http.getRequest<FastifyRequest>().headers,
      this.#services.grants,
    );
    const { decision } = await countRequest(caller, this.#services);
    void http.getResponse<FastifyReply>().headers(renderRateHeaders(decision));
    requireRoom(decision);
    return true;
  }
}
