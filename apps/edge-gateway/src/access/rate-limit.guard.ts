import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GrantCache } from '../grants/grant-cache.ts';
import { authenticateHeaders } from '../request/authenticate-headers.ts';
import { countRequest, renderRateHeaders, requireRoom } from '../rate-limits/count-request.ts';
import { RATE_LIMITER, type RateLimiter } from '../rate-limits/rate-limiter.port.ts';

/**
 * Applies the rate limit to routes that accept an API key but do not run the pipeline. These routes share the
 * rate window and the response headers with chat requests. Throws `rate_limit_exceeded`.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  readonly #grants: GrantCache;
  readonly #rateLimiter: RateLimiter;

  constructor(@Inject(GrantCache) grants: GrantCache, @Inject(RATE_LIMITER) rateLimiter: RateLimiter) {
    this.#grants = grants;
    this.#rateLimiter = rateLimiter;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const caller = await authenticateHeaders(http.getRequest<FastifyRequest>().headers, this.#grants);
    const services = { grants: this.#grants, rateLimiter: this.#rateLimiter };
    const { decision } = await countRequest(caller, services);
    void http.getResponse<FastifyReply>().headers(renderRateHeaders(decision));
    requireRoom(decision);
    return true;
  }
}
