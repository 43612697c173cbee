import type { Logger } from '@gateway/observability';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { nestLogger } from '@gateway/messaging';
import { uuidv7 } from 'uuidv7';

/** Headers over this are answered 431 by Node itself. */
const headerBytesMax = 16 * 1024;

/**
 * The HTTP server of the gateway. Bodies are not read before a route asks for them, so that whoever has no key, or
 * no rate left, makes us hold nothing.
 */
export async function createServer(module: DynamicModule, log: Logger): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    genReqId: () => uuidv7(),
    http: {
      maxHeaderSize: headerBytesMax,
      noDelay: true,
      keepAliveTimeout: 72_000,
      headersTimeout: 30_000,
      requestTimeout: 300_000,
    },
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1024 },
    forceCloseConnections: 'idle',
  });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its options as a class
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: nestLogger(log),
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  return app;
}
