import * as bedrock from '@aws-sdk/client-bedrock-runtime';
import type { PublicError } from '@gateway/interchange';
import { client } from './exchange.ts';
import { sdkAnswered, sdkReading } from './sdk-reading.ts';

const error = (status: number, code: string | null): PublicError => ({
  status,
  code,
  type: 'api_error',
  message: 'told',
  param: null,
  source: 'gateway',
});
const input = { modelId: 'm', messages: [] };

async function catchFrom(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

describe('errors of the SDK', () => {
  describe('converse', () => {
    it.each([
      [400, null, bedrock.ValidationException, 1],
      [401, null, bedrock.AccessDeniedException, 1],
      [403, null, bedrock.AccessDeniedException, 1],
      [404, null, bedrock.ResourceNotFoundException, 1],
      [429, null, bedrock.ThrottlingException, 3],
      [500, null, bedrock.InternalServerException, 3],
      [502, 'upstream_invalid', bedrock.InternalServerException, 3],
      [503, null, bedrock.ServiceUnavailableException, 3],
      [504, 'upstream_timeout', bedrock.ModelTimeoutException, 3],
      [529, null, bedrock.ServiceUnavailableException, 3],
    ])(
      'for status %i (%s), the SDK throws a dedicated exception after the expected number of attempts',
      async (status, code, type, attempts) => {
        const { body, ...rendered } = client.renderError(error(status, code), 'req-1');
        const { sdk, calls } = sdkAnswered({ ...rendered, body: Buffer.from(body) });
        const thrown = await catchFrom(sdk.send(new bedrock.ConverseCommand(input)));
        expect(thrown).toBeInstanceOf(type);
        expect(thrown).toMatchObject({ message: 'told', $metadata: { requestId: 'req-1' } });
        expect(calls()).toBe(attempts);
      },
    );
  });

  describe('converse_stream', () => {
    it.each([
      [400, bedrock.ValidationException],
      [424, bedrock.ModelStreamErrorException],
      [429, bedrock.ThrottlingException],
      [500, bedrock.InternalServerException],
      [503, bedrock.ServiceUnavailableException],
    ])(
      'for status %i within a stream, the SDK throws a dedicated exception after the received content',
      async (status, type) => {
        const renderer = client.openStreamRenderer({ id: '', model: '', createdAt: 0, includesUsage: true });
        const start = Buffer.from(renderer.render({ type: 'message-start', format: 'converse' }));
        const bytes = Buffer.concat([
          start,
          Buffer.from(client.renderStreamError(error(status, null), 'id')),
        ]);
        const sdk = sdkReading(bytes, client.streamContentType);
        const { stream } = await sdk.send(new bedrock.ConverseStreamCommand(input));
        const events: unknown[] = [];
        const read = async () => {
          for await (const event of stream ?? []) events.push(event);
        };
        const thrown = await catchFrom(read());
        expect(events).toEqual([{ messageStart: { role: 'assistant' } }]);
        expect(thrown).toBeInstanceOf(type);
        expect(thrown).toMatchObject({ message: 'told' });
      },
    );
  });
});
