import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2, connect as connectHttp2 } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { holdUntilModel } from '../proxy/held-body.ts';
import { JsonModelScanner } from '../proxy/json-model-scanner.ts';
import { readBody } from './read-body.ts';

const bytesMax = 1_000_000;
type Take = (request: IncomingMessage) => Promise<unknown>;

/** Reads a request from a client that disconnects in the middle of the body. */
async function outcomeOf(take: Take): Promise<unknown> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port);
  client.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"stream":true,');
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  request.on('error', () => undefined);
  client.destroy();
  await new Promise((resolve) => request.once('close', resolve));
  const outcome = await Promise.race([take(request), wait(10_000, 'no end', { ref: false })]).catch(String);
  server.close();
  return outcome;
}

/** Reads an HTTP/2 request from a client that disconnects in the middle of the body. */
async function http2OutcomeOf(take: Take): Promise<unknown> {
  const server = createHttp2().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ':method': 'POST', ':path': '/' });
  stream.on('error', () => undefined).write('{"stream":true,');
  const [request] = (await once(server, 'request')) as unknown as [IncomingMessage];
  stream.close(8);
  await new Promise((resolve) => request.once('close', resolve));
  await wait(10);
  const outcome = await Promise.race([take(request), wait(10_000, 'no end', { ref: false })]).catch(String);
  client.destroy();
  server.close();
  return outcome;
}

describe('reading a request body after its client disconnected', () => {
  it('fails immediately over HTTP/1.1', async () => {
    await expect(outcomeOf((request) => readBody(request, bytesMax))).resolves.toMatch(
      'the client disconnected',
    );
    const hold: Take = (request) => holdUntilModel(request, new JsonModelScanner(), bytesMax);
    await expect(outcomeOf(hold)).resolves.toMatch('the client disconnected');
  });

  it('fails over HTTP/2 as well', async () => {
    const read: Take = (request) => readBody(request, bytesMax);
    await expect(http2OutcomeOf(read)).resolves.toMatch('the client disconnected');
    const hold: Take = (request) => holdUntilModel(request, new JsonModelScanner(), bytesMax);
    await expect(http2OutcomeOf(hold)).resolves.toMatch(/the client disconnected|"model" is missing/);
  });
});

describe('reading a long request body', () => {
  it('returns the bytes that the client sent, and frees the memory of the chunks', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const body = Buffer.from(Array.from({ length: 700_000 }, (_, at) => at % 251));
    const sent = fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const [lengths, chunks]: [number[], Buffer[]] = [[], []];
    request.on('data', (chunk: Buffer) => {
      lengths.push(chunk.length);
      chunks.push(chunk);
    });
    const read = await readBody(request, bytesMax);
    response.end();
    await (await sent).arrayBuffer();
    server.close();
    expect(read.equals(body)).toBe(true);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(body.length);
    expect(chunks.map((chunk) => chunk.length)).toEqual(chunks.map(() => 0));
  });
});
