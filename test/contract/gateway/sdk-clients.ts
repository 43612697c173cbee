/** Reads a response with the official SDK of each client format. The SDKs' own retries are disabled. */
import Anthropic from '@anthropic-ai/sdk';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseCommandInput,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';
import { readResponse } from './source-readings-responses.ts';
import {
  asList,
  asMembers,
  asNumber,
  asText,
  join,
  linksOf,
  readJson,
  type AnswerReading,
  type Members,
  type StopReading,
} from './answer-reading.ts';

export type ClientName = 'chat-completions' | 'messages' | 'converse' | 'responses';

/**
 * Calls the model with or without streaming, and reads the response. Rejects with the error that the SDK throws.
 * @param said request fields in the client's format, which replace the default greeting
 */
export type AskModel = (model: string, stream: boolean, said?: object) => Promise<AnswerReading>;

/**
 * Creates each format's SDK client.
 * @param aws replaces the default AWS client, which uses HTTP/1.1
 */
export function openClients(
  baseUrl: string,
  apiKey: string,
  aws: BedrockRuntimeClient = connectAws(baseUrl, apiKey),
): Record<ClientName, AskModel> {
  const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 });
  return {
    'chat-completions': (model, stream, said) => askOpenAi(openai, { model, messages, ...said }, stream),
    messages: (model, stream, said) =>
      askAnthropic(anthropic, { model, max_tokens: 1024, messages, ...said }, stream),
    responses: (model, stream, said) => askResponses(openai, { model, input: 'Hello.', ...said }, stream),
    converse: (modelId, stream, said) => {
      const request = { modelId, messages: converseMessages, ...said };
      return stream ? askConverseStream(aws, request) : askConverse(aws, request);
    },
  };
}

function connectAws(baseUrl: string, apiKey: string): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: baseUrl,
    token: { token: apiKey },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
  });
}

const messages = [{ role: 'user' as const, content: 'Hello.' }];
const converseMessages = [{ role: 'user' as const, content: [{ text: 'Hello.' }] }];

async function askOpenAi(
  client: OpenAI,
  request: OpenAI.ChatCompletionCreateParamsNonStreaming,
  stream: boolean,
): Promise<AnswerReading> {
  const thoughts: unknown[] = [];
  const answer = stream
    ? await client.chat.completions
        .stream({ ...request, stream: true, stream_options: { include_usage: true } })
        // The SDK combines only the chunks of OpenAI's own fields, so the test collects `reasoning_content` itself.
        .on('chunk', ({ choices }) => thoughts.push(asMembers(choices[0]?.delta).reasoning_content))
        .finalChatCompletion()
    : await client.chat.completions.create(request);
  const [choice] = answer.choices;
  const message = asMembers(choice?.message);
  const usage = answer.usage;
  return {
    text: asText(message.content) + asText(message.refusal),
    thinking: stream ? join(thoughts) : asText(message.reasoning_content),
    calls: asList(message.tool_calls).map((call) => {
      const { name, arguments: given, input } = asMembers(call.function ?? call.custom);
      const called = input === undefined ? readJson(asText(given)) : { input };
      return { id: asText(call.id), name: asText(name), input: called };
    }),
    reason: stops[choice?.finish_reason ?? 'none'] ?? 'unknown',
    usage: {
      input: usage?.prompt_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      written: asNumber(asMembers(usage?.prompt_tokens_details).cache_write_tokens),
    },
    links: linksOf(asList(message.annotations).map(({ url_citation: cited }) => asMembers(cited).url)),
  };
}

async function askResponses(
  client: OpenAI,
  request: OpenAI.Responses.ResponseCreateParamsNonStreaming,
  stream: boolean,
): Promise<AnswerReading> {
  const answer = stream
    ? await client.responses.stream({ ...request, stream: true }).finalResponse()
    : await client.responses.create(request);
  return readResponse(answer as unknown as Members);
}

/**
 * Maps stop reasons to their meaning. Each stop reason means the same in all formats, so one table is
 * enough.
 */
const stops: Readonly<Record<string, StopReading>> = {
  stop: 'stop',
  end_turn: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'calls',
  tool_use: 'calls',
  content_filter: 'filter',
  refusal: 'filter',
  content_filtered: 'filter',
  pause_turn: 'pause',
  malformed_model_output: 'error',
  none: 'none',
};

async function askAnthropic(
  client: Anthropic,
  request: Anthropic.MessageCreateParamsNonStreaming,
  stream: boolean,
): Promise<AnswerReading> {
  const pieces: string[] = [];
  const answer = stream
    ? await client.messages
        .stream(request)
        .on('streamEvent', (event) => {
          if (event.type !== 'content_block_delta' || event.delta.type !== 'input_json_delta') return;
          pieces[event.index] = (pieces[event.index] ?? '') + event.delta.partial_json;
        })
        .finalMessage()
    : await client.messages.create(request);
  // The SDK drops the unparseable end of truncated tool call arguments, so the test compares the streamed text.
  const content = (answer.content as unknown as Members[]).map((block, at) => {
    const input = readJson(pieces[at] ?? '');
    return typeof input === 'string' ? { ...block, input } : block;
  });
  const of = (type: string): Members[] => content.filter((block) => block.type === type);
  const cached = answer.usage.cache_read_input_tokens ?? 0;
  const written = answer.usage.cache_creation_input_tokens ?? 0;
  return {
    text: join(of('text').map(({ text }) => text)),
    thinking: join(of('thinking').map(({ thinking }) => thinking)),
    calls: of('tool_use').map(({ id, name, input }) => ({ id: asText(id), name: asText(name), input })),
    reason: stops[answer.stop_reason ?? 'none'] ?? 'unknown',
    usage: {
      input: answer.usage.input_tokens + cached + written,
      output: answer.usage.output_tokens,
      cached,
      written,
    },
    links: [],
  };
}

async function askConverse(
  client: BedrockRuntimeClient,
  request: ConverseCommandInput,
): Promise<AnswerReading> {
  const answer = await client.send(new ConverseCommand(request));
  const content = answer.output?.message?.content ?? [];
  return {
    text: join(
      content.flatMap(({ text, citationsContent: cited }) => [
        text,
        ...(cited?.content ?? []).map(({ text: part }) => part),
      ]),
    ),
    thinking: join(content.map(({ reasoningContent }) => reasoningContent?.reasoningText?.text)),
    calls: content.flatMap(({ toolUse }) =>
      toolUse === undefined
        ? []
        : [{ id: toolUse.toolUseId ?? '', name: toolUse.name ?? '', input: toolUse.input }],
    ),
    reason: stops[answer.stopReason ?? 'none'] ?? 'unknown',
    usage: readAwsUsage(answer.usage),
    links: [],
  };
}

async function askConverseStream(
  client: BedrockRuntimeClient,
  request: ConverseCommandInput,
): Promise<AnswerReading> {
  const answer = await client.send(new ConverseStreamCommand(request));
  const calls: { id: string; name: string; json: string }[] = [];
  const events: ConverseStreamOutput[] = [];
  for await (const event of answer.stream ?? []) {
    events.push(event);
    const started = event.contentBlockStart?.start?.toolUse;
    if (started !== undefined)
      calls.push({ id: started.toolUseId ?? '', name: started.name ?? '', json: '' });
    const json = event.contentBlockDelta?.delta?.toolUse?.input;
    if (json !== undefined) calls.at(-1)!.json += json;
  }
  const deltas = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta);
  const ended = events.filter(({ messageStop }) => messageStop !== undefined);
  expect(ended).toHaveLength(1);
  return {
    text: join(deltas.map((delta) => delta?.text)),
    thinking: join(deltas.map((delta) => delta?.reasoningContent?.text)),
    calls: calls.map(({ id, name, json }) => ({ id, name, input: readJson(json) })),
    reason: stops[ended[0]?.messageStop?.stopReason ?? 'none'] ?? 'unknown',
    usage: readAwsUsage(events.find(({ metadata }) => metadata !== undefined)?.metadata?.usage),
    links: [],
  };
}

function readAwsUsage(usage: object | undefined): AnswerReading['usage'] {
  const counts = asMembers(usage);
  const cached = asNumber(counts.cacheReadInputTokens);
  const written = asNumber(counts.cacheWriteInputTokens);
  return {
    input: asNumber(counts.inputTokens) + cached + written,
    output: asNumber(counts.outputTokens),
    cached,
    written,
  };
}
