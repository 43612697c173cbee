import { GatewayError } from '@gateway/errors';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { GrantCache } from '../grants/grant-cache.ts';
import type { Caller } from '../pipeline/caller.ts';
import { authenticateHeaders } from '../pipeline/stages/authenticate/authenticate.ts';
import { tokens } from '../tokens.ts';
import { accessKey, type Access } from './access.ts';

const callers = new WeakMap<FastifyRequest, Caller>();

/** The caller of a request that this guard let through. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller) throw new GatewayError('internal_error', { detail: 'the route has no authenticated caller' });
  return caller;
}

/** Denies by default. A guard rather than a hook on paths: it sees the route that will run, however it was spelled. */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #grants: GrantCache;

  constructor(@Inject(Reflector) reflector: Reflector, @Inject(tokens.grants) grants: GrantCache) {
    this.#reflector = reflector;
    this.#grants = grants;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.#reflector.getAllAndOverride<Access | undefined>(accessKey, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'public' || access === 'pipeline') return true;
    if (access === undefined) throw new GatewayError('not_found');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    callers.set(request, await authenticateHeaders(request.headers, this.#grants));
    return true;
  }
}
