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
  /** Without one the port speaks plain text. */
  readonly tls: TlsIdentity | undefined;
  /** CIDRs of proxies that are believed on their clients' addresses and on TLS. */
  readonly trustedProxies: readonly string[];
  /** Serves chat requests without their route. */
  readonly direct: DirectChat;
}

/**
 * The HTTP server of the gateway. Bodies are not read before a route asks for them, so that whoever has no key, or
 * no rate left, makes us hold nothing.
 */
export async function createServer(
  module: DynamicModule,
  log: Logger,
  { tls, trustedProxies, direct }: ServerOptions,
): Promise<NestFastifyApplication> {
  let listener: Listener | undefined;
  const adapter = new FastifyAdapter({
    // Nothing of ours is Express middleware, and its chain costs every request.
    skipMiddie: true,
    genReqId: newRequestId,
    serverFactory: (serveRequest: RequestListener) => {
      listener = createListener(direct.before(serveRequest), tls);
      return listener.server;
    },
    exposeHeadRoutes: false,
    // What anybody else says of the client's address is not looked at.
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    routerOptions: { maxParamLength: 1024 },
    forceCloseConnections: 'idle',
    clientErrorHandler: answerConnectionError,
    // A path that is no valid percent-encoding names nothing.
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

/** Gives every answer its id, and 405 where a path takes other methods. */
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

/** Which methods each path takes, so that a wrong one is told from a wrong path. */
class RouteMethods {
  readonly #routes: NotedRoute[] = [];

  /** @param url in the router's notation: `:name` stands for one segment, `*` for the rest of the path. */
  note(methods: readonly string[], url: string): void {
    const source = url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replaceAll('*', '.*');
    this.#routes.push({ pattern: new RegExp(`^${source}$`), methods });
  }

  /** Empty when nothing is at that path. */
  methodsOf(path: string): readonly string[] {
    const found = this.#routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => methods))];
  }
}
