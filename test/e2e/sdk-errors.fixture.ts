/** Provider failures in each format, and the errors that each SDK throws after a failure. */
import Anthropic from '@anthropic-ai/sdk';
import * as bedrock from '@aws-sdk/client-bedrock-runtime';
import type { ReplayControls } from '@gateway/testing';
import OpenAI from 'openai';
import { cannedAnswers } from '../contract/gateway/canned-answers.ts';
import type { ClientName } from '../contract/gateway/sdk-clients.ts';
import { bytesBeforeTextEnds, connectAnthropic, streamedMessages } from './anthropic.fixture.ts';
import {
  connectBedrock,
  converseError,
  readConverseStream,
  streamedConverse,
  streamedEvents,
} from './bedrock.fixture.ts';
import { renderFrame } from './provider.fixture.ts';

const json = { 'content-type': 'application/json' };
const sse = { 'content-type': 'text/event-stream' };
const message = 'provider error';

export interface FailingProvider {
  readonly provider: string;
  /** The URL path prefix of the provider's API. */
  readonly path: string;
  readonly answer: () => ReplayControls;
  readonly fail: (status: number) => ReplayControls;
  /** Makes the provider stream `Hello, ` and then an error event. */
  readonly sendErrorInStream: () => ReplayControls;
  /** Makes the provider stream `Hello, ` and then close the connection. */
  readonly breakStream: () => ReplayControls;
}

/** Sends the stream up to a few bytes after `said`, and closes the connection. */
const breakAfter = (said: string, headers: Record<string, string>): ReplayControls => ({
  status: 200,
  headers,
  body: `${said}data: {"never":"whole"}\n\n`,
  resetAtByte: Buffer.byteLength(said) + 5,
});

const geminiSaid = `data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello, ' }] } }] })}\n\n`;
const chatSaid = renderFrame('Hello, ');
const converseSaid = streamedEvents.slice(0, 2);
const bedrockNames: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'AccessDeniedException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

export const failingProviders: readonly FailingProvider[] = [
  {
    provider: 'openai',
    path: '/v1',
    answer: () => ({ status: 200, headers: json, body: cannedAnswers['chat-completions'] }),
    fail: (status) => ({
      status,
      headers: json,
      body: { error: { message, type: 'some_error', param: null, code: null } },
    }),
    sendErrorInStream: () => ({
      status: 200,
      headers: sse,
      body: `${chatSaid}data: ${JSON.stringify({ error: { message, type: 'server_error', code: null, param: null } })}\n\n`,
    }),
    breakStream: () => breakAfter(chatSaid, sse),
  },
  {
    provider: 'anthropic',
    path: '/v1',
    answer: () => ({ status: 200, headers: json, body: cannedAnswers.messages }),
    fail: (status) => ({
      status,
      headers: json,
      body: { type: 'error', error: { type: status === 529 ? 'overloaded_error' : 'api_error', message } },
    }),
    sendErrorInStream: () =>
      streamedMessages(
        `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'api_error', message } })}\n\n`,
      ),
    breakStream: () => ({ ...streamedMessages(), resetAtByte: bytesBeforeTextEnds + 5 }),
  },
  {
    provider: 'hosted',
    path: '',
    answer: () => ({ status: 200, headers: json, body: cannedAnswers.converse }),
    fail: (status) => converseError(status, bedrockNames[status] ?? 'InternalServerException'),
    sendErrorInStream: () => streamedConverse(converseSaid, ['internalServerException', { message }]),
    breakStream: () => ({
      ...streamedConverse(streamedEvents),
      resetAtByte: (streamedConverse(converseSaid).body as Buffer).length + 20,
    }),
  },
  {
    provider: 'google',
    path: '/v1beta',
    answer: () => ({ status: 200, headers: json, body: cannedAnswers.gemini }),
    fail: (code) => ({ status: code, headers: json, body: { error: { code, message, status: 'SOME' } } }),
    sendErrorInStream: () => ({
      status: 200,
      headers: sse,
      body: `${geminiSaid}data: ${JSON.stringify({ error: { code: 500, message, status: 'INTERNAL' } })}\n\n`,
    }),
    breakStream: () => breakAfter(geminiSaid, sse),
  },
];

type Thrown = abstract new (...args: never[]) => Error;

export interface FailedClient {
  readonly client: ClientName;
  /** The errors that the SDK throws, by the provider's HTTP status. */
  readonly raises: Readonly<Record<number, Thrown>>;
  /** The error that the SDK throws for an error event in a stream. */
  readonly raisesInStream: Thrown;
  /** Sends a non-streaming request and allows the SDK one retry. */
  readonly ask: (baseUrl: string, key: string, model: string) => Promise<unknown>;
  /** Appends the stream's text to `said` until the stream fails. */
  readonly stream: (baseUrl: string, key: string, model: string, said: string[]) => Promise<void>;
}

const messages = [{ role: 'user' as const, content: 'Hello.' }];
const converseMessages: bedrock.Message[] = [{ role: 'user', content: [{ text: 'Hello.' }] }];
const connectOpenAi = (baseUrl: string, apiKey: string) =>
  new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 1 });

/**
 * The errors that the SDK throws, by HTTP status. OpenAI's and Anthropic's SDKs have errors with the same
 * names.
 */
function namedByStatus(sdk: typeof OpenAI | typeof Anthropic): Readonly<Record<number, Thrown>> {
  return {
    400: sdk.BadRequestError,
    401: sdk.AuthenticationError,
    403: sdk.PermissionDeniedError,
    404: sdk.NotFoundError,
    429: sdk.RateLimitError,
    500: sdk.InternalServerError,
    503: sdk.InternalServerError,
    529: sdk.InternalServerError,
  };
}

export const failedClients: readonly FailedClient[] = [
  {
    client: 'chat-completions',
    raises: namedByStatus(OpenAI),
    raisesInStream: OpenAI.APIError,
    ask: (baseUrl, key, model) => connectOpenAi(baseUrl, key).chat.completions.create({ model, messages }),
    stream: async (baseUrl, key, model, said) => {
      const request = { model, messages, stream: true as const };
      const stream = await connectOpenAi(baseUrl, key).chat.completions.create(request);
      for await (const { choices } of stream) {
        said.push(choices[0]?.delta.content ?? '');
        expect(choices[0]?.finish_reason ?? null).toBeNull();
      }
    },
  },
  {
    client: 'messages',
    raises: namedByStatus(Anthropic),
    raisesInStream: Anthropic.APIError,
    ask: (baseUrl, key, model) =>
      connectAnthropic(baseUrl, key, 1).messages.create({ model, max_tokens: 100, messages }),
    stream: async (baseUrl, key, model, said) => {
      const request = { model, max_tokens: 100, messages, stream: true as const };
      for await (const event of await connectAnthropic(baseUrl, key, 1).messages.create(request)) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
          said.push(event.delta.text);
        expect(event.type).not.toBe('message_stop');
      }
    },
  },
  {
    client: 'converse',
    raises: {
      400: bedrock.ValidationException,
      401: bedrock.AccessDeniedException,
      403: bedrock.AccessDeniedException,
      404: bedrock.ResourceNotFoundException,
      429: bedrock.ThrottlingException,
      500: bedrock.InternalServerException,
      503: bedrock.ServiceUnavailableException,
      529: bedrock.ServiceUnavailableException,
    },
    raisesInStream: bedrock.BedrockRuntimeServiceException,
    ask: async (baseUrl, key, modelId) => {
      const client = connectBedrock(baseUrl, key, 2);
      const asked = client.send(new bedrock.ConverseCommand({ modelId, messages: converseMessages }));
      return asked.finally(() => client.destroy());
    },
    stream: async (baseUrl, key, modelId, said) => {
      const client = connectBedrock(baseUrl, key, 2);
      const command = new bedrock.ConverseStreamCommand({ modelId, messages: converseMessages });
      const { text, events, thrown } = await readConverseStream((await client.send(command)).stream);
      client.destroy();
      said.push(text);
      expect(events.some(({ messageStop }) => messageStop !== undefined)).toBe(false);
      if (thrown !== undefined) throw thrown as Error;
    },
  },
];
