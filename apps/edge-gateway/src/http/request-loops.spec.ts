/** The gateway rejects requests from itself on every route, before any further work. */
import type { Logger } from '@gateway/observability';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EdgeGatewayModule } from '../edge-gateway.module.ts';
import type { EdgeParts } from '../edge-parts.ts';
import { LoopGuard } from '../loops/loop-guard.ts';
import { DirectChat } from './direct-chat.ts';
import { createServer } from './server.ts';

class NoSpool {}
const parts = {
  pipeline: { messaging: { onBroadcast: () => undefined } },
  identity: {},
} as unknown as EdgeParts;
const silent = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, () => undefined]),
) as unknown as Logger;

const guard = new LoopGuard({ store: { set: () => Promise.resolve(null) }, log: silent });
let app: NestFastifyApplication;
let url: string;

beforeAll(async () => {
  app = await createServer(EdgeGatewayModule.forRoot(parts, { module: NoSpool }), silent, {
    tls: undefined,
    trustedProxies: [],
    direct: new DirectChat(parts.pipeline),
    isLoop: (header) => guard.isLoop(header),
  });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(async () => {
  guard.close();
  await app.close();
});

const send = (path: string, method: string, header: string): Promise<Response> =>
  fetch(`${url}${path}`, {
    ...{ method, headers: { 'content-type': 'application/json', 'cdn-loop': header } },
    ...(method === 'GET' ? {} : { body: '{}' }),
  });

it.each([
  ['POST', '/v1/chat/completions', { error: { code: 'request_loop', source: 'gateway' } }],
  [
    'POST',
    '/v1/messages',
    { type: 'error', error: { message: expect.stringContaining('to itself') as string } },
  ],
  ['POST', '/model/m/converse', { message: expect.stringContaining('to itself') as string }],
  ['POST', '/v1/embeddings', { error: { code: 'request_loop' } }],
  ['GET', '/v1/models', { error: { code: 'request_loop' } }],
  ['GET', '/no/such/path', { error: { code: 'request_loop' } }],
])(
  '%s %s with the gateway’s own loop header returns 508 request_loop in the caller’s format',
  async (method, path, expected) => {
    const answer = await send(path, method, `cloudflare; loops=1, ${guard.renderHeader(undefined)}`);
    expect(answer.status).toBe(508);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await answer.json()).toMatchObject(expected);
  },
);

it('a request with the loop header of another network is not rejected', async () => {
  expect((await send('/no/such/path', 'GET', 'cloudflare; loops=1')).status).toBe(404);
});
