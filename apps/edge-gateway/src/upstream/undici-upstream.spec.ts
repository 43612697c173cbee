import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as waitMs } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import { createEgressGuard } from '@gateway/providers';
import type { BodyReader } from './answer-body.ts';
import { readWhole } from './answer-body.ts';
import { UndiciUpstream } from './undici-upstream.adapter.ts';
import type { UpstreamReply } from './upstream.port.ts';

/** Time limit in milliseconds within which the test server responds even on a busy machine. */
const shortSilenceMs = 3_000;

const loops = { renderHeader: () => 'agent-gateway-of-a-test' };

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function startProvider(answer: RequestListener, idleTimeoutMs = 60_000) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const guard = createEgressGuard({ allow: ['127.0.0.0/8'] });
  const upstream = new UndiciUpstream({ guard, idleTimeoutMs, loops });
  open.push(async () => {
    server.closeAllConnections();
    server.close();
    await upstream.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat`;
  const abort = new AbortController();
  const send = (body: Buffer | Readable = Buffer.from('{}')) =>
    upstream.send({ url, headers: {}, body, signal: abort.signal });
  return { server, abort, send };
}

/** Resolves with true if the body was read completely, otherwise with false. */
function overOf({ body }: UpstreamReply): Promise<boolean> {
  return new Promise((resolve) => body.follow(resolve));
}

/** Resolves with the error with which the body was aborted. */
function breakOf({ body }: UpstreamReply, reader: Partial<BodyReader> = {}): Promise<Error> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Error('it was whole'));
    body.read({ take: () => true, end, fail: resolve, ...reader });
  });
}

describe('a request to a provider', () => {
  it('carries the loop mark of this deployment', async () => {
    let received: unknown;
    const { send } = await startProvider((request, response) => {
      received = request.headers['cdn-loop'];
      response.end();
    });
    await readWhole((await send()).body, 100);
    expect(received).toBe('agent-gateway-of-a-test');
  });
});

describe('a provider’s response', () => {
  it('has its status, its headers (repeated headers as a list) and its whole body', async () => {
    const { send } = await startProvider((_, response) => {
      response.writeHead(201, [
        ...['x-one', '1', 'x-many', 'a', 'x-many', 'b'],
        ...['transfer-encoding', 'chunked', 'trailer', 'x-late'],
      ]);
      response.write('first ');
      response.addTrailers({ 'x-late': 'ignored' });
      setTimeout(() => response.end('last'), 20);
    });
    const answer = await send();
    const isWhole = overOf(answer);
    expect(answer).toMatchObject({ status: 201, headers: { 'x-one': '1', 'x-many': ['a', 'b'] } });
    const { bytes } = await readWhole(answer.body, 100);
    expect(bytes.toString()).toBe('first last');
    expect(await isWhole).toBe(true);
  });

  it('waits for a reader that starts late', async () => {
    const { send } = await startProvider((_, response) => response.end('here'));
    const answer = await send();
    await waitMs(50);
    expect((await readWhole(answer.body, 100)).bytes.toString()).toBe('here');
  });

  it('can be read up to a size limit', async () => {
    const { send } = await startProvider((_, response) => response.end('x'.repeat(1_000)));
    const answer = await send();
    const isWhole = overOf(answer);
    expect((await readWhole(answer.body, 999)).isWhole).toBe(false);
    answer.body.discard();
    expect(await isWhole).toBe(false);
  });

  const letters = 'abcdefghij'.repeat(1_000);
  const singleBytes = letters.replaceAll(/./g, '1\r\n$&\r\n');

  /**
   * Sends the start of a response, and sends `rest` after the client has read the first chunk. Returns
   * the chunks in which the body arrives.
   */
  async function readPieces(rest: string, isWhole: boolean): Promise<Buffer[]> {
    let finish = (): unknown => undefined;
    const { send } = await startProvider(({ socket }) => {
      finish = () => socket.write(rest);
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n>\r\n');
    });
    const pieces: Buffer[] = [];
    const { body } = await send();
    await new Promise<void>((resolve, reject) => {
      const done = (isEnd: boolean): void => (isEnd === isWhole ? resolve() : reject(new Error('other end')));
      body.read({
        take: (chunk) => {
          if (pieces.push(chunk) === 1) finish();
          return true;
        },
        end: () => done(true),
        fail: () => done(false),
      });
    });
    return pieces;
  }

  it('arrives in few pieces even if each chunk has one byte', async () => {
    const pieces = await readPieces(`${singleBytes}0\r\n\r\n`, true);
    expect(Buffer.concat(pieces).toString()).toBe(`>${letters}`);
    expect(pieces.length).toBeLessThan(100);
  });

  it('forwards all bytes before the error if the response ends early', async () => {
    const pieces = await readPieces(`${singleBytes}no length\r\n`, false);
    expect(Buffer.concat(pieces).toString()).toBe(`>${letters}`);
  });

  it('reuses the connection of the previous response', async () => {
    const ports = new Set<number | undefined>();
    const { send } = await startProvider(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.end('here');
    });
    for (let at = 0; at < 3; at += 1) {
      await readWhole((await send()).body, 100);
      await waitMs(20);
    }
    expect(ports.size).toBe(1);
  });

  it('pauses the provider while the reader has no room', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const total = 64 * 1024 * 1024;
    let sent = 0;
    const { send } = await startProvider((_, response) => {
      const write = (): void => {
        while (sent < total && response.write(chunk)) sent += chunk.length;
        if (sent < total) sent += chunk.length;
        else response.end();
      };
      response.on('drain', write);
      write();
    });
    const answer = await send();
    let taken = 0;
    let hasRoom = false;
    const whole = new Promise<void>((resolve, reject) => {
      const take = (part: Buffer): boolean => {
        taken += part.length;
        return hasRoom;
      };
      answer.body.read({ take, end: resolve, fail: reject });
    });
    await waitMs(300);
    expect(taken).toBeLessThan(1024 * 1024);
    // The buffers of the sockets hold the remaining bytes of the response.
    expect(sent).toBeLessThan(total / 2);
    hasRoom = true;
    answer.body.resume();
    await whole;
    expect(taken).toBe(sent);
  });
});

describe('an aborted provider call', () => {
  it('rejects immediately if there is no connection yet, so an unresponsive address does not delay the caller', async () => {
    const refuse = (fail: (error: Error, socket: null) => void) => fail(new Error('no connection'), null);
    const connect = (_: unknown, callback: (error: Error, socket: null) => void): void =>
      void setTimeout(refuse, 300, callback);
    const guard = { ...createEgressGuard({ allow: ['127.0.0.0/8'] }), connect: connect as never };
    const upstream = new UndiciUpstream({ guard, idleTimeoutMs: 60_000, loops });
    open.push(() => upstream.close());
    const abort = new AbortController();
    const call = { url: 'http://127.0.0.1:9/', headers: {}, body: Buffer.from('{}'), signal: abort.signal };
    const sent = upstream.send(call);
    const reason = new GatewayError('upstream_timeout');
    setTimeout(() => abort.abort(reason), 20);
    const first = await Promise.race([sent.catch((error: unknown) => error), waitMs(200, 'nothing')]);
    expect(first).toBe(reason);
    await expect(upstream.send(call)).rejects.toBe(reason);
  });

  it('rejects with the reason if it is aborted before a response arrives', async () => {
    const { send, abort, server } = await startProvider(() => undefined);
    const reason = new GatewayError('upstream_timeout', { detail: 'too late' });
    const closed = once(server, 'request').then(([, response]) => once(response as ServerResponse, 'close'));
    const sent = send();
    server.once('request', () => abort.abort(reason));
    await expect(sent).rejects.toBe(reason);
    await closed;
    await expect(send()).rejects.toBe(reason);
  });

  it('aborts the body with the reason if the response has started', async () => {
    const { send, abort, server } = await startProvider((_, response) => response.write('some'));
    const closed = once(server, 'request').then(([, response]) => once(response as ServerResponse, 'close'));
    const answer = await send();
    const isWhole = overOf(answer);
    const broken = breakOf(answer);
    abort.abort(new GatewayError('overloaded'));
    expect(await broken).toMatchObject({ code: 'overloaded' });
    expect(await isWhole).toBe(false);
    await closed;
  });

  it('closes the connection if the body is discarded unread', async () => {
    const { send, server } = await startProvider((_, response) => response.write('some'));
    const closed = once(server, 'request').then(([, response]) => once(response as ServerResponse, 'close'));
    const answer = await send();
    const isWhole = overOf(answer);
    answer.body.discard();
    expect(await isWhole).toBe(false);
    await closed;
    expect((await breakOf(answer)).message).toContain('before the response was complete');
  });
});

describe('a failing response from a provider', () => {
  it('is reported as `upstream_unreachable` if the connection closes before the response starts', async () => {
    const { send } = await startProvider(({ socket }) => socket.destroy());
    await expect(send()).rejects.toMatchObject({ code: 'upstream_unreachable' });
  });

  it('is reported as a timeout if the provider is silent before the response starts', async () => {
    const { send } = await startProvider(() => undefined, shortSilenceMs);
    await expect(send()).rejects.toMatchObject({ code: 'upstream_timeout' });
  });

  it('is aborted if the provider goes silent partway through the response', async () => {
    const { send } = await startProvider((_, response) => response.write('some'), shortSilenceMs);
    const answer = await send();
    expect(await breakOf(answer)).toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  });

  it('is aborted if the connection closes partway through the response', async () => {
    const { send } = await startProvider((_, response) => {
      response.write('some', () => response.destroy());
    });
    const answer = await send();
    const isWhole = overOf(answer);
    await breakOf(answer);
    expect(await isWhole).toBe(false);
  });

  it('is aborted with the error that the reader of the response throws', async () => {
    const { send } = await startProvider((_, response) => response.write('some'));
    const refuse = (): never => {
      throw new TypeError('not this');
    };
    expect(await breakOf(await send(), { take: refuse })).toMatchObject({ message: 'not this' });
  });

  it.each([
    ['before it', (response: ServerResponse) => response.destroy()],
    ['in the middle of it', (response: ServerResponse) => response.write('some', () => response.destroy())],
  ])('closes a request body that is still being sent: %s', async (_, breakOff) => {
    const { send } = await startProvider((__, response) => void breakOff(response));
    const endless = new Readable({ read: () => undefined });
    endless.push('{');
    const closed = once(endless, 'close').catch(() => undefined);
    await send(endless).then(breakOf, () => undefined);
    await closed;
    expect(endless.destroyed).toBe(true);
  });
});
