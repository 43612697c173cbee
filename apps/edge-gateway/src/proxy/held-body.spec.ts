import { randomBytes } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { holdUntilModel, type HeldBody } from './held-body.ts';
import { JsonModelScanner } from './json-model-scanner.ts';
import { MultipartModelScanner } from './multipart-model-scanner.ts';

/** A multipart boundary that is too long to occur in random bytes. */
const boundary = 'boundary-of-the-parts';
const type = `multipart/form-data; boundary=${boundary}`;
const head = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;

/** Sends a request body to a local server. Returns the outcome of `take` for the received request. */
async function receive<Made>(body: Buffer, take: (request: IncomingMessage) => Promise<Made>): Promise<Made> {
  let settle: (made: Promise<Made>) => void = () => undefined;
  const made = new Promise<Made>((resolve) => (settle = resolve));
  const server = createServer((request, response) => {
    const taken = take(request);
    settle(taken);
    void taken.catch(() => undefined).then(() => response.end());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const client = httpRequest({ port, host: '127.0.0.1', method: 'POST' });
  client.on('error', () => undefined).end(body);
  try {
    return await made;
  } finally {
    client.destroy();
    server.close();
  }
}

async function readAll(body: HeldBody, model: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body.read(Buffer.from(model))) chunks.push(chunk);
  await body.close();
  return Buffer.concat(chunks);
}

describe('a buffered request body', () => {
  it.each([
    ['small', 1_000],
    ['larger than the memory limit', 3_000_000],
  ])(
    'is forwarded byte for byte, except for the model name, if the file before the model is %s',
    async (_, size) => {
      const file = randomBytes(size);
      const after = randomBytes(100_000);
      const whole = (model: string) =>
        Buffer.concat([
          Buffer.from(head('file')),
          file,
          Buffer.from(`\r\n${head('model')}${model}\r\n${head('other')}`),
          after,
          Buffer.from(`\r\n--${boundary}--\r\n`),
        ]);
      const sent = whole('openai/whisper-1');
      const made = await receive(sent, async (request) => {
        const body = await holdUntilModel(request, new MultipartModelScanner(type), 10_000_000);
        expect(body.place.model).toBe('openai/whisper-1');
        const length = body.lengthWith(Buffer.from('whisper-1'));
        return { length, bytes: await readAll(body, 'whisper-1') };
      });
      expect(made.bytes.equals(whole('whisper-1'))).toBe(true);
      expect(made.length).toBe(made.bytes.length);
    },
  );

  it.each([
    ['short', 100],
    ['long', 3_000_000],
  ])(
    'is rejected at a second model field after a %s file, whether the body is buffered or streamed',
    async (_, size) => {
      const model = (name: string) => `${head('model')}${name}\r\n`;
      const sent = Buffer.concat([
        Buffer.from(`${model('whisper-1')}${head('file')}`),
        randomBytes(size),
        Buffer.from(`\r\n${model('gpt-4o-transcribe')}--${boundary}--\r\n`),
      ]);
      const forwarded = receive(sent, async (request) => {
        const body = await holdUntilModel(request, new MultipartModelScanner(type), 10_000_000);
        return readAll(body, 'whisper-1');
      });
      await expect(forwarded).rejects.toMatchObject({ code: 'invalid_field', param: 'model' });
    },
  );

  it('is rejected if it exceeds its size limit or ends without a model', async () => {
    const long = Buffer.from(`{"input":"${'a'.repeat(50_000)}"}`);
    const hold = (bytesMax: number) => (request: IncomingMessage) => {
      return holdUntilModel(request, new JsonModelScanner(), bytesMax);
    };
    await expect(receive(long, hold(10_000))).rejects.toMatchObject({ code: 'request_too_large' });
    await expect(receive(long, hold(100_000))).rejects.toMatchObject({ code: 'missing_field' });
    await expect(receive(Buffer.from(''), hold(100_000))).rejects.toMatchObject({ code: 'missing_field' });
  });
});
