import 'reflect-metadata';
import type { Logger } from '@gateway/observability';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { controllers, EdgeGatewayModule } from '../edge-gateway.module.ts';
import type { EdgeParts } from '../edge-parts.ts';
import { DirectChat, directEndpoints } from './direct-chat.ts';
import { listRoutes } from '../openapi/route-table.ts';
import { createServer } from './server.ts';

@Module({})
class NoSpool {}

/**
 * The minimum set of services that the server needs to start. The server handles no requests in these tests,
 * so no service is called.
 */
const parts = {
  pipeline: { messaging: { onBroadcast: () => undefined } },
  identity: {},
} as unknown as EdgeParts;
const silent = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, () => undefined]),
) as unknown as Logger;

/** All routes on the running server, regardless of how they were registered. */
async function registeredRoutes(): Promise<string[]> {
  const module = EdgeGatewayModule.forRoot(parts, { module: NoSpool });
  const app: NestFastifyApplication = await createServer(module, silent, {
    tls: undefined,
    trustedProxies: [],
    direct: new DirectChat(parts.pipeline),
    isLoop: () => false,
  });
  const registered: string[] = [];
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) registered.push(`${each} ${url}`);
  });
  await app.init();
  await app.close();
  return registered;
}

test('the server has exactly the routes in the route table, and HEAD only for public pages', async () => {
  const described = listRoutes(controllers).flatMap(({ method, paths, access }) =>
    paths.flatMap((path) => [
      `${method} ${path}`,
      ...(method === 'GET' && access === 'public' && !path.startsWith('/v1/') ? [`HEAD ${path}`] : []),
    ]),
  );
  const registered = (await registeredRoutes()).map((route) =>
    route
      .replace(
        /:([A-Za-z]+)/g,
        (_, name: string) => `{${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}}`,
      )
      .replace('*', '{id}'),
  );
  expect(registered.sort()).toEqual(described.sort());
});

test('every endpoint that bypasses the router authenticates in the pipeline', () => {
  const routes = listRoutes(controllers).filter(
    ({ method, access }) => method === 'POST' && access === 'pipeline',
  );
  const paths = routes.flatMap((route) => route.paths);
  for (const path of directEndpoints.keys()) expect(paths).toContain(path);
});
