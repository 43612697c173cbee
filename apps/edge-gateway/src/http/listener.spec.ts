import { once } from 'node:events';
import { request, type IncomingMessage, type RequestListener } from 'node:http';
import {
  connect as connectHttp2,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { request as requestSecurely } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as waitMs } from 'node:timers/promises';
import { createListener, type Listener } from './listener.ts';
import { testIdentity } from './tls-identity.fixture.ts';

/** Paths of the requests that the server has received. */
const served: (string | undefined)[] = [];
/**
 * Responds with the protocol version and the size of the request body. The path `/slow` responds after a
 * delay.
 */
const serveRequest: RequestListener = (incoming, response) => {
  served.push(incoming.url);
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => (bytes += chunk.length));
  incoming.once('end', () => {
    const answer = (): unknown => response.end(`${incoming.httpVersion} ${bytes}`);
    setTimeout(answer, incoming.url === '/slow' ? 200 : 0);
  });
};

const open: { listener: Listener; ended: Promise<unknown> }[] = [];

async function start(tls?: typeof testIdentity): Promise<{ listener: Listener; port: number }> {
  const listener = createListener(serveRequest, tls);
  listener.server.listen(0, '127.0.0.1');
  await once(listener.server, 'listening');
  open.push({ listener, ended: once(listener.server, 'close') });
  return { listener, port: (listener.server.address() as AddressInfo).port };
}

function end(listener: Listener): void {
  const { server } = listener;
  listener.drain();
  server.close();
  server.closeIdleConnections();
}

afterEach(async () => {
  for (const { listener } of open) end(listener);
  await Promise.all(open.splice(0).map(({ ended }) => ended));
});

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function askHttp2(
  session: ClientHttp2Session,
  body = '',
  headers: OutgoingHttpHeaders = {},
): Promise<string> {
  const stream = session.request({ ':method': 'POST', ':path': '/', ...headers });
  stream.end(body);
  return textOf(stream);
}

async function askHttp1(ask: typeof requestSecurely, port: number, body: string): Promise<string> {
  const call = ask({ port, host: '127.0.0.1', method: 'POST', agent: false, rejectUnauthorized: false });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return textOf(response);
}

const megabyte = 'x'.repeat(1_000_000);

it('serves HTTP/1.1 and HTTP/2 in plain text on one port', async () => {
  const { port } = await start();
  expect(await askHttp1(request, port, megabyte)).toBe('1.1 1000000');
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const asked = Array.from({ length: 5 }, () => askHttp2(session, megabyte));
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['2.0 1000000']));
  session.close();
});

it('serves both protocols under TLS, negotiated through ALPN', async () => {
  const { port } = await start(testIdentity);
  expect(await askHttp1(requestSecurely, port, 'abc')).toBe('1.1 3');
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  expect(await askHttp2(session, 'abc')).toBe('2.0 3');
  session.close();
});

it.each([
  ['HTTP/1.1', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\nab', '1.1 2'],
  ['a method that starts like the preface', 'P', 'HTTP/1.1 400 '],
])('recognizes %s by its first bytes, even if they arrive one at a time', async (_what, bytes, expected) => {
  const { port } = await start();
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const answer = textOf(socket);
  for (const byte of bytes === 'P' ? 'PRO\r\n\r\n' : bytes) {
    socket.write(byte);
    await waitMs(1);
  }
  expect(await answer).toContain(expected);
});

it('survives a client that disconnects before or during the preface', async () => {
  const { port } = await start();
  for (const bytes of ['', 'P', 'PRI * HT', 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n']) {
    const socket: Socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.end(bytes);
    socket.resume();
    await once(socket, 'close');
  }
  expect(await askHttp1(request, port, 'abc')).toBe('1.1 3');
});

it('responds with 431 to headers over 16 KiB, and still serves the other streams on the connection', async () => {
  const { port } = await start();
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  // HTTP/2 settings take effect when the peer acknowledges them.
  expect(await askHttp2(session, 'abc')).toBe('2.0 3');
  const stream = session.request({ ':path': '/', 'x-big': 'x'.repeat(17_000) });
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }];
  expect(headers[':status']).toBe(431);
  const { error } = JSON.parse(await textOf(stream)) as { error: object };
  expect(error).toMatchObject({ type: 'invalid_request_error', code: 'request_too_large' });
  await expect(askHttp2(session, '', { 'x-huge': 'x'.repeat(70_000) })).rejects.toThrow();
  session.close();
  const next = connectHttp2(`http://127.0.0.1:${port}`);
  expect(await askHttp2(next, 'abc', { 'x-fits': 'x'.repeat(15_000) })).toBe('2.0 3');
  next.close();
});

it('closes a connection that sends a flood of settings', async () => {
  const { port } = await start();
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined));
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  const flood = Buffer.concat(Array.from({ length: 10_000 }, () => emptySettings));
  // The client does not read the server's acknowledgements, so they accumulate on the server.
  const flooding = setInterval(() => socket.write(flood), 1);
  const outcome = await Promise.race([
    closed.then(() => 'closed'),
    waitMs(20_000, 'still open', { ref: false }),
  ]);
  clearInterval(flooding);
  socket.destroy();
  expect(outcome).toBe('closed');
});

it('completes open requests in both protocols while draining, and closes all connections', async () => {
  const { listener, port } = await start();
  const silent = connect(port, '127.0.0.1');
  await once(silent, 'connect');
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const slow = askHttp2(session, 'abc', { ':path': '/slow' });
  while (!served.includes('/slow')) await waitMs(5);
  const closed = once(listener.server, 'close');
  end(listener);
  expect(await slow).toBe('2.0 3');
  await closed;
  silent.destroy();
});
