import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createHttp2Server, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { contentPartBytesMax, type RequestContent } from '@gateway/contracts';
import { SecretSet } from '@gateway/observability';
import { scanJson } from '@gateway/wire-formats';
import { ContentCopy } from './content-copy.ts';
import { packContent, unpackContent } from './pack-content.ts';
import { renderContent } from './render-content.ts';

const servers: (Server | Http2Server)[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server | Http2Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the response body for the client, and a copy of its content for storage. */
async function exchangeOf(
  protocol: 'HTTP/1.1' | 'HTTP/2',
  write: RequestListener,
): Promise<{ read: Buffer; copy: ContentCopy }> {
  const copies: ContentCopy[] = [];
  const serve: RequestListener = (request, response) => {
    copies.push(new ContentCopy({ response, turn: null }));
    write(request, response);
  };
  let read: Buffer;
  if (protocol === 'HTTP/1.1') {
    const answer = await fetch(await listen(createServer(serve)));
    read = Buffer.from(await answer.arrayBuffer());
  } else {
    const server = createHttp2Server(serve as unknown as Parameters<typeof createHttp2Server>[0]);
    const session = connect(await listen(server));
    read = await buffer(session.request({ ':path': '/' }));
    session.close();
  }
  return { read, copy: copies[0]! };
}

const body = (value: unknown) => {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  return {
    bytes,
    tape: scanJson(bytes, { depthMax: 128 }),
    outline: {} as never,
    conversation: {} as never,
    ownCredential: null,
  };
};
const renderCopy = (copy: ContentCopy, secrets?: SecretSet): RequestContent =>
  renderContent(copy.take()!, secrets);

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('the content copy of a response over %s', (protocol) => {
  it('equals the client’s response, with every byte copied once', async () => {
    const { read, copy } = await exchangeOf(protocol, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('Grüße, ');
      response.write(Buffer.from('from the '));
      response.end('model');
    });
    copy.read(body({ model: 'm' }));
    expect(read.toString()).toBe('Grüße, from the model');
    expect(renderCopy(copy).answer).toEqual({
      ...{ encoding: 'utf8', text: read.toString(), bytes: read.length, isCut: false },
    });
  });

  it('truncates a long response body in the copy and reports the full length of the body', async () => {
    const long = 'ü'.repeat(contentPartBytesMax);
    const { copy } = await exchangeOf(protocol, (_, response) => response.end(long));
    copy.read(body({}));
    const { answer } = renderCopy(copy);
    expect(answer).toMatchObject({ encoding: 'utf8', bytes: 2 * contentPartBytesMax, isCut: true });
    expect(long.startsWith(answer!.text)).toBe(true);
    expect(Buffer.byteLength(answer!.text)).toBeLessThanOrEqual(contentPartBytesMax);
    expect(answer!.text.length).toBeGreaterThan(contentPartBytesMax / 2 - 2_000);
  });
});

describe('the content copy in rendered form', () => {
  const render = async (request: unknown, answer: string | Buffer = '', secrets?: SecretSet) => {
    const { copy } = await exchangeOf('HTTP/1.1', (_, response) => response.end(answer));
    copy.read(body(request));
    return renderCopy(copy, secrets);
  };

  it('is null for a request that could not be parsed', async () => {
    const { copy } = await exchangeOf('HTTP/1.1', (_, response) => response.end('error'));
    expect(copy.take()).toBeNull();
  });

  it('contains the request unchanged except for credential fields, even if a credential field repeats', async () => {
    const plain = '{"model":"m","seed":12345678901234567890}';
    const withCredentials = `{"cloud_secret_access_key":"one","model":"m","cloud_secret_access_key":"two","seed":12345678901234567890,"cloud_bearer_token_hosted":"three"}`;
    expect((await render(plain)).request).toMatchObject({ text: plain, isCut: false });
    expect((await render(withCredentials)).request).toMatchObject({ text: plain, bytes: plain.length });
  });

  it('contains neither the account’s secrets nor text that looks like a secret', async () => {
    const secrets = new SecretSet();
    secrets.add('known-secret-0123456789');
    const said = 'use sk-svc-0123456789abcdef or known-secret-0123456789';
    const { request, answer } = await render({ said }, said, secrets);
    expect(request.text + answer!.text).not.toMatch(/sk-svc|known-secret/);
  });

  it('contains binary responses as base64, and has a null response if there is no response body', async () => {
    const frames = Buffer.from([0, 0, 0, 255, 254, 253]);
    expect((await render({}, frames)).answer).toEqual({
      ...{ encoding: 'base64', text: frames.toString('base64'), bytes: 6, isCut: false },
    });
    expect((await render({})).answer).toBeNull();
  });

  it('is unchanged after it is packed and unpacked', async () => {
    const content: RequestContent = await render({ text: 'Füße 😀' }, 'ok');
    expect(await unpackContent(await packContent(content))).toEqual(content);
    await expect(unpackContent(Buffer.from('{}').toString('base64'))).rejects.toThrow();
  });
});
