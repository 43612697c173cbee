import { GatewayError, toGatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGGER } from '../access/tokens.ts';
import { formatOfPath, renderError } from '../request/http-response.ts';

/**
 * Status codes of errors that the caller causes. The gateway logs errors of callers, because a series of errors may
 * indicate an attack.
 */
const refusals = new Set([401, 403, 429]);

/** Renders every error that a route throws. The client receives a registry error in the format of the endpoint. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  readonly #log: Logger;

  constructor(@Inject(LOGGER) log: Logger) {
    this.#log = log;
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = mapThrown(thrown);
    if (error.definition.status >= 500) {
      this.#log.error(
        { err: thrown, request_id: request.id, code: error.code, detail: error.detail },
        'route failed',
      );
    }
    if (refusals.has(error.definition.status)) {
      const route = request.routeOptions.url;
      this.#log.info({ request_id: request.id, error_code: error.code, route }, 'call refused');
    }
    if (reply.sent || reply.raw.headersSent) return;
    const rendered = renderError(error, request.id, formatOfPath(request.raw.url ?? '/'));
    void reply.status(rendered.status).headers(rendered.headers).send(rendered.body);
  }
}

/** Maps errors from Nest and Fastify to the error registry. */
function mapThrown(thrown: unknown): GatewayError {
  const status = thrown instanceof HttpException ? thrown.getStatus() : statusOf(thrown);
  if (status === 404) return new GatewayError('not_found');
  if (status === 405) return new GatewayError('method_not_allowed');
  if (status === 413) return new GatewayError('request_too_large');
  if (status === 415) return new GatewayError('unsupported_media_type');
  if (status !== null && status >= 400 && status < 500)
    return new GatewayError('invalid_field', { message: 'The request is not valid.' });
  return toGatewayError(thrown);
}

function statusOf(thrown: unknown): number | null {
  if (thrown instanceof GatewayError || typeof thrown !== 'object' || thrown === null) return null;
  return 'statusCode' in thrown && typeof thrown.statusCode === 'number' ? thrown.statusCode : null;
}
