import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as waitMs } from 'node:timers/promises';
import { createEgressGuard } from '@gateway/providers';
import { readWhole } from './answer-body.ts';
import { UndiciUpstream } from './undici-upstream.adapter.ts';

it('sends a body in several pieces with its length, and keeps the connection open', async () => {
  const pieces = [1, 900_000, 70_000, 3].map((length, at) => Buffer.alloc(length, `${at}`));
  const expected = Buffer.concat(pieces);
  const received: { isEqual: boolean; length: string | undefined; port: number | undefined }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const isEqual = Buffer.concat(chunks).equals(expected);
      const { 'content-length': length } = request.headers;
      received.push({ isEqual, length, port: request.socket.remotePort });
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const guard = createEgressGuard({ allow: ['127.0.0.0/8'] });
  const loops = { renderHeader: () => 'agent-gateway-of-a-test' };
  const upstream = new UndiciUpstream({ guard, idleTimeoutMs: 60_000, loops });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat`;
  const { signal } = new AbortController();
  for (let at = 0; at < 3; at += 1) {
    const { body } = await upstream.send({ url, headers: {}, body: pieces, signal });
    await readWhole(body, 100);
    // A connection can be used again in a later turn of the event loop.
    await waitMs(10);
  }
  const { port } = received[0] ?? {};
  expect(received).toEqual([1, 2, 3].map(() => ({ isEqual: true, length: '970004', port })));
  server.closeAllConnections();
  server.close();
  await upstream.close();
});
