import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PipelineServices } from '../pipeline/services.ts';
import { DirectChat } from './direct-chat.ts';

const json = { 'content-type': 'application/json' };

/**
 * Starts a server that records which requests reach the router. If a request bypasses the router, the pipeline
 * logs an error, because it has no services.
 */
async function start() {
  const told = new EventEmitter();
  const log = { error: (_: unknown, text: string) => told.emit('error line', text) };
  const direct = new DirectChat({ log } as unknown as PipelineServices);
  const routed: string[] = [];
  const server = createServer(
    direct.before((request, response) => {
      routed.push(`${request.method} ${request.url}`);
      response.end('routed');
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const failed = once(told, 'error line');
    const answered = fetch(`http://127.0.0.1:${port}${path}`, init).then((answer) => answer.text());
    answered.catch(() => undefined);
    return Promise.race([answered, failed]);
  };
  return { direct, routed, ask };
}

const open: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

test.each(['/v1/chat/completions', '/v1/messages'])(
  'a common chat request bypasses the router: %s',
  async (path) => {
    const { ask, routed } = await start();
    // The server logs an error from the pipeline with the message for a defect in a route.
    expect(await ask(path, { method: 'POST', headers: json, body: '{}' })).toEqual(['route failed']);
    expect(routed).toEqual([]);
  },
);

test.each<[string, RequestInit]>([
  ['/v1/chat/completions?x=1', { method: 'POST', headers: json, body: '{}' }],
  ['/v1/chat/%63ompletions', { method: 'POST', headers: json, body: '{}' }],
  ['/v1/chat/completions/', { method: 'POST', headers: json, body: '{}' }],
  ['/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }],
  ['/v1/chat/completions', { method: 'POST' }],
  ['/v1/chat/completions', { method: 'GET', headers: json }],
  ['/v1/chat/completions', { method: 'OPTIONS', headers: json }],
  ['/v1/messages/count_tokens', { method: 'POST', headers: json, body: '{}' }],
  ['/v1/account', { method: 'POST', headers: json, body: '{}' }],
])('a request in any other form goes through the router: %s %p', async (path, init) => {
  const { ask, routed } = await start();
  expect(await ask(path, init)).toBe('routed');
  expect(routed).toEqual([`${init.method} ${path}`]);
});

test('no request bypasses the router once the server is closing', async () => {
  const { ask, direct } = await start();
  direct.close();
  const request = { method: 'POST', headers: json, body: '{}' };
  expect(await ask('/v1/chat/completions', request)).toBe('routed');
});
