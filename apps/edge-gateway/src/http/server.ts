import type { RequestListener } from 'node:http';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/observability';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { nestLogger } from '@gateway/messaging';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerConnectionError } from './connection-limits.ts';
import type { DirectChat } from './direct-chat.ts';
import type { Listener, TlsIdentity } from './listener.ts';
import { createListener } from './listener.ts';
import { renderError } from '../request/http-response.ts';
import { newRequestId } from './request-id.ts';

export interface ServerOptions {
  /** Undefined: the port uses plain text. */
  readonly tls: TlsIdentity | undefined;
  /** CIDRs of trusted proxies. The gateway uses the client address and TLS state that they report. */
  readonly trustedProxies: readonly string[];
  /** Serves common chat requests without the router. */
  readonly direct: DirectChat;
}

/**
 * The HTTP server of the gateway. A body is read only when its route requests it, so a client without a key or beyond
 * its rate limit uses no memory.
 */
export async function createServer(
  module: DynamicModule,
  log: Logger,
  { tls, trustedProxies, direct }: ServerOptions,
): Promise<NestFastifyApplication> {
  let listener: Listener | undefined;
  const adapter = new FastifyAdapter({
    // There is no Express middleware, and its chain costs time in every request.
    skipMiddie: true,
    genReqId: newRequestId,
    serverFactory: (serveRequest: RequestListener) => {
      listener = createListener(direct.before(serveRequest), tls);
      return listener.server;
    },
    exposeHeadRoutes: false,
    // Only trusted proxies may report a client address.
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    routerOptions: { maxParamLength: 1024 },
    forceCloseConnections: 'idle',
    clientErrorHandler: answerConnectionError,
    // A path with invalid percent-encoding matches no route.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) =>
      answerError(new GatewayError('not_found'), request.id, reply),
  });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its options as a class
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: nestLogger(log),
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  leaveBodies(fastify);
  fastify.addHook('preClose', (done) => {
    direct.close();
    listener?.drain();
    done();
  });
  answerOtherMethods(fastify);
  return app;
}

function leaveBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/** Adds the request id to every response, and returns 405 for a path with other methods. */
function answerOtherMethods(fastify: FastifyInstance): void {
  const routes = new RouteMethods();
  fastify.addHook('onRoute', ({ method, url }) => routes.note([method].flat(), url));
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (request.is404) {
      const methods = routes.methodsOf(request.url.split('?', 1)[0] ?? '');
      if (methods.length > 0) {
        answerError(
          new GatewayError('method_not_allowed'),
          request.id,
          reply.header('allow', methods.join(', ')),
        );
        return;
      }
    }
    done();
  });
}

function answerError(error: GatewayError, requestId: string, reply: FastifyReply): void {
  const { status, headers, body } = renderError(error, requestId, 'chat-completions');
  void reply.status(status).headers(headers).send(body);
}

interface NotedRoute {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/** The methods of each path, to distinguish a wrong method (405) from an unknown path (404). */
class RouteMethods {
  readonly #routes: NotedRoute[] = [];

  /** @param url in the router's notation: `:name` matches one segment, `*` the rest of the path. */
  note(methods: readonly string[], url: string): void {
    const source = url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replaceAll('*', '.*');
    this.#routes.push({ pattern: new RegExp(`^${source}$`), methods });
  }

  /** Empty if the path does not exist. */
  methodsOf(path: string): readonly string[] {
    const found = this.#routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => methods))];
  }
}
