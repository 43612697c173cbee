import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf, sessionOf } from './access.guard.ts';

/** Injects on whose account a request works: an `AccountCaller`. */
export const FromCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Injects the `Session` of a route that takes sessions alone. Its person may have no account yet. */
export const FromSession = createParamDecorator((_: unknown, context: ExecutionContext) =>
  sessionOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
