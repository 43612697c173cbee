/** Client requests in the three client formats, each with a recorded provider response. */
import { findRecordings, loadRecordings, type Recording } from '@gateway/testing';
import { applyAnswerLosses } from '../contract/gateway/answer-losses.ts';
import type { AnswerReading } from '../contract/gateway/answer-reading.ts';
import type { ClientName } from '../contract/gateway/sdk-clients.ts';
import { readGemini } from '../contract/gateway/source-readings-provider.ts';
import {
  readChat,
  readConverse,
  readMessages,
  type ReadSource,
} from '../contract/gateway/source-readings.ts';

/** A provider with one upstream format. */
export interface Origin {
  readonly provider: string;
  /** The URL path prefix of the provider's API. */
  readonly path: string;
  readonly apis: readonly string[];
  readonly read: ReadSource;
  /**
   * Providers with recordings that the client's SDK can read. By default, the recordings of all providers are
   * used.
   */
  readonly recordedAt?: readonly string[];
}

export const origins: readonly Origin[] = [
  {
    provider: 'openai',
    path: '/v1',
    apis: ['chat_completions'],
    read: readChat,
    recordedAt: ['openai', 'deepseek'],
  },
  { provider: 'anthropic', path: '/v1', apis: ['messages'], read: readMessages },
  { provider: 'hosted', path: '', apis: ['converse', 'converse_stream'], read: readConverse },
  { provider: 'google', path: '/v1beta', apis: ['gemini'], read: readGemini },
];

export const clientNames: readonly ClientName[] = ['chat-completions', 'messages', 'converse'];

export type Matter = 'text' | 'tools' | 'parallel tools' | 'images' | 'thinking';

const concerns: Readonly<Record<Matter, (recording: Recording, reading: AnswerReading) => boolean>> = {
  text: (recording, { text, calls, thinking }) =>
    !recording.has_tools && text !== '' && calls.length === 0 && thinking === '',
  tools: (recording, { calls, reason }) =>
    recording.has_tool_calls && calls.length === 1 && reason === 'calls',
  'parallel tools': (recording, { calls, reason }) =>
    recording.parallel_tool_calls === true && calls.length > 1 && reason === 'calls',
  images: (recording, { text }) => recording.has_images === true && text !== '',
  thinking: (recording, { thinking }) => recording.has_thinking === true && thinking !== '',
};
export const matters = Object.keys(concerns) as Matter[];

export interface Chosen {
  readonly recording: Recording;
  readonly reading: AnswerReading;
}

/**
 * The folder of the large collection of recordings (`npm run test:e2e -- --data DIR`). The folder is
 * undefined if the test run has no large collection.
 */
const folder = findRecordings(process.env['DATA_DIR']);
const collected = folder === undefined ? [] : loadRecordings(folder);
export const isCollected = folder !== undefined;

/**
 * Returns the format's first recordings of a feature. Every client format must be able to express the chosen
 * recordings without loss.
 */
export function chooseRecordings(
  origin: Origin,
  matter: Matter,
  streaming: boolean,
  count: number,
): Chosen[] {
  const chosen: Chosen[] = [];
  for (const recording of collected) {
    if (chosen.length === count) break;
    const { api, provider, status, response_file: file } = recording;
    if (!origin.apis.includes(api) || recording.streaming !== streaming) continue;
    if (status !== 200 || file === null || recording.is_error || recording.midstream_error) continue;
    if (origin.recordedAt?.includes(provider) === false) continue;
    const source = origin.read(recording);
    if (source === null || source.reading.usage.output === 0) continue;
    const isTold = clientNames.every(
      (name) => applyAnswerLosses(source, name, streaming).losses.length === 0,
    );
    if (isTold && concerns[matter](recording, source.reading))
      chosen.push({ recording, reading: source.reading });
  }
  return chosen;
}

/** A PNG image of one pixel. */
export const imageBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = { type: 'object' as const, properties: { city: { type: 'string' as const } } };
const question = 'What is this?';

/** Returns the request fields that the tested feature needs. */
export function sayMatter(client: ClientName, matter: Matter, reading: AnswerReading): object {
  const names = [...new Set(reading.calls.map(({ name }) => name))];
  return {
    ...(names.length > 0 ? offerTools[client](names) : {}),
    ...(matter === 'images' ? showImage[client] : {}),
    ...(matter === 'thinking' ? askToThink[client] : {}),
  };
}

const description = 'Performs the task.';
const offerTools: Readonly<Record<ClientName, (names: readonly string[]) => object>> = {
  'chat-completions': (names) => ({
    tools: names.map((name) => ({ type: 'function', function: { name, description, parameters: schema } })),
  }),
  messages: (names) => ({ tools: names.map((name) => ({ name, description, input_schema: schema })) }),
  responses: (names) => ({
    tools: names.map((name) => ({ type: 'function', name, description, parameters: schema })),
  }),
  converse: (names) => ({
    toolConfig: {
      tools: names.map((name) => ({ toolSpec: { name, description, inputSchema: { json: schema } } })),
    },
  }),
};

const showImage: Readonly<Record<ClientName, object>> = {
  responses: {
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: question },
          { type: 'input_image', image_url: `data:image/png;base64,${imageBase64}` },
        ],
      },
    ],
  },
  'chat-completions': say(
    { type: 'text', text: question },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${imageBase64}` } },
  ),
  messages: say(
    { type: 'text', text: question },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: imageBase64 } },
  ),
  converse: say(
    { text: question },
    { image: { format: 'png', source: { bytes: Buffer.from(imageBase64, 'base64') } } },
  ),
};

function say(...content: readonly object[]): object {
  return { messages: [{ role: 'user', content }] };
}

/** Request fields that enable reasoning. They set a level, because some formats cannot express a token budget. */
const askToThink: Readonly<Record<ClientName, object>> = {
  'chat-completions': { reasoning_effort: 'low' },
  messages: { output_config: { effort: 'low' } },
  responses: { reasoning: { effort: 'low' } },
  converse: { outputConfig: { effort: 'low' } },
};
