/**
 * Tests each client SDK against a failing provider of each format. The tests check the error that the SDK
 * throws, and the number of provider calls.
 */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount, createTestKey } from './account.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { failedClients, failingProviders } from './sdk-errors.fixture.ts';

const { baseUrl } = sharedStack();
let replay: ReplayProvider;
let key: string;
beforeAll(async () => {
  replay = await startProvider();
  const { apiKey } = await createTestAccount(sharedStack());
  key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  for (const { provider, path } of failingProviders) {
    await connectProvider(baseUrl, key, { provider, api_key: 'upstream-key', base_url: replay.url + path });
  }
});
afterEach(() => replay.reset());
afterAll(() => replay.close());

async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Whether an error is a connection reset (HTTP/1.1) or a stream reset (HTTP/2). */
function isConnectionError(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  return /^(?:ECONNRESET|UND_ERR_SOCKET|ERR_HTTP2_STREAM_ERROR)$/.test(cause?.code ?? code ?? '');
}

/** Returns how many milliseconds the SDK waited before its retry. */
function readWaitMs(): number {
  const [first, second] = replay.requests;
  return second!.endedAtMs! - first!.endedAtMs!;
}

describe.each(failedClients)('the SDK for $client', ({ client, raises, raisesInStream, ask, stream }) => {
  // The response asks for a shorter retry delay than the SDK's default delay.
  // The AWS SDK reads only whole seconds, and retries after less than one second by default.
  const soon = client === 'converse' ? {} : { retryAfterMs: 10 };

  describe.each(failingProviders)('with $provider', ({ provider, ...failing }) => {
    const model = `${provider}/some-model`;

    it.each([
      [400, 1],
      [401, 1],
      [403, 1],
      [404, 1],
      [429, 2],
      [500, 2],
      [provider === 'anthropic' ? 529 : 503, 2],
    ])('the SDK raises its own error for %i after %i of 2 attempts', async (status, attempts) => {
      for (let at = 0; at < 2; at += 1) replay.enqueue(null, { ...failing.fail(status), ...soon });
      const thrown = await thrownBy(ask(baseUrl, key, model));
      expect(thrown).toBeInstanceOf(raises[status]);
      expect((thrown as Error).message).toContain('provider error');
      expect(replay.requests).toHaveLength(attempts);
    });

    it('the SDK waits for the time in the 429 response and then receives the response', async () => {
      const refused = failing.fail(429);
      replay.enqueue(null, { ...refused, headers: { ...refused.headers, 'retry-after': '1' } });
      replay.enqueue(null, failing.answer());
      expect(JSON.stringify(await ask(baseUrl, key, model))).toContain('Hello.');
      expect(replay.requests).toHaveLength(2);
      expect(readWaitMs()).toBeGreaterThanOrEqual(950);
    });

    it.each([
      [
        'contains an error event',
        failing.sendErrorInStream,
        (error: unknown) => error instanceof raisesInStream,
      ],
      ['breaks', failing.breakStream, isConnectionError],
    ])(
      'the SDK raises an error for a stream that %s, after the content before it, in one attempt',
      async (_how, fail, isExpected) => {
        replay.enqueue(null, fail());
        const said: string[] = [];
        const thrown = await thrownBy(stream(baseUrl, key, model, said));
        expect([thrown, isExpected(thrown)]).toEqual([thrown, true]);
        expect(said.join('')).toMatch(/^Hello, /);
        expect(replay.requests).toHaveLength(1);
      },
    );
  });
});
