import {
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import type { PlannedFormat } from '@gateway/interchange';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import OpenAIClient from 'openai';
import { connectAnthropic, toMessagesTool } from './anthropic.fixture.ts';
import { connectBedrock, toConverseTool } from './bedrock.fixture.ts';
import type { FunctionTool } from './github-tools.fixture.ts';

/** An SDK's parsed response, independent of any wire format. */
export interface HeardAnswer {
  readonly text: string;
  readonly calls: readonly { id: string; name: string; arguments: unknown }[];
  readonly reason: string | null | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The SDK's complete result as a string. */
  readonly raw: string;
  readonly header: (name: string) => string | null;
}

/** A conversation, independent of any wire format. */
export interface Turn {
  readonly user?: string;
  readonly calls?: HeardAnswer['calls'];
  readonly results?: readonly { id: string; text: string }[];
}

/** A client that sends requests with tools to the gateway through an SDK. */
export interface NetClient {
  readonly format: PlannedFormat;
  ask(turns: readonly Turn[], stream: boolean, signal?: AbortSignal): Promise<HeardAnswer>;
}

export interface NetClientGiven {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly tools: readonly FunctionTool[];
  /** Whether the client sets a prompt cache marker on its instructions. */
  readonly cached?: boolean;
}

export function openAiClient({ baseUrl, key, model, tools }: NetClientGiven): NetClient {
  let headers = new Headers();
  const client = new OpenAIClient({
    baseURL: `${baseUrl}/v1`,
    apiKey: key,
    maxRetries: 0,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      headers = response.headers;
      return response;
    },
  });
  return {
    format: 'chat-completions',
    async ask(turns, stream, signal) {
      const request = { model, tools: [...tools], messages: turns.flatMap(toChatMessages) };
      const options = signal === undefined ? {} : { signal };
      if (!stream) {
        const data = await client.chat.completions.create(request, options);
        return heardChat(data, JSON.stringify(data), headers);
      }
      const body = { ...request, stream: true, stream_options: { include_usage: true } } as const;
      const streamed = client.chat.completions.stream(body, options);
      const pieces: unknown[] = [];
      streamed.on('chunk', (chunk) => pieces.push(chunk));
      return heardChat(await streamed.finalChatCompletion(), JSON.stringify(pieces), headers);
    },
  };
}

function toChatMessages({ user, calls = [], results = [] }: Turn): OpenAI.ChatCompletionMessageParam[] {
  if (user !== undefined) return [{ role: 'user', content: user }];
  const toolCalls = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(given) },
  }));
  return [
    { role: 'assistant', content: null, tool_calls: toolCalls },
    ...results.map(({ id, text }) => ({ role: 'tool' as const, tool_call_id: id, content: text })),
  ];
}

function heardChat(data: OpenAI.ChatCompletion, raw: string, headers: Headers): HeardAnswer {
  const [choice] = data.choices;
  return {
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).map((call) => {
      if (call.type !== 'function') throw new Error('expected a function call');
      return {
        id: call.id,
        name: call.function.name,
        arguments: JSON.parse(call.function.arguments) as unknown,
      };
    }),
    reason: choice?.finish_reason,
    inputTokens: data.usage?.prompt_tokens ?? -1,
    outputTokens: data.usage?.completion_tokens ?? -1,
    raw,
    header: (name) => headers.get(name),
  };
}

export function anthropicClient({ baseUrl, key, model, tools, cached }: NetClientGiven): NetClient {
  const client = connectAnthropic(baseUrl, key);
  return {
    format: 'messages',
    async ask(turns, stream, signal) {
      const messages = turns.flatMap(toMessagesMessages);
      const mark = { cache_control: { type: 'ephemeral' } } as const;
      const system =
        cached === true ? { system: [{ type: 'text' as const, text: instructions, ...mark }] } : {};
      const request = { model, max_tokens: 100, ...system, tools: tools.map(toMessagesTool), messages };
      const options = signal === undefined ? {} : { signal };
      if (!stream) {
        const { data, response } = await client.messages.create(request, options).withResponse();
        return heardMessages(data, JSON.stringify(data), response.headers);
      }
      const streamed = client.messages.stream(request, options);
      const pieces: unknown[] = [];
      streamed.on('streamEvent', (event) => pieces.push(event));
      const { response } = await streamed.withResponse();
      return heardMessages(await streamed.finalMessage(), JSON.stringify(pieces), response.headers);
    },
  };
}

const instructions = 'You help with repositories. '.repeat(100);

type MessagesMessage = Awaited<ReturnType<ReturnType<typeof connectAnthropic>['messages']['create']>>;

function toMessagesMessages({ user, calls = [], results = [] }: Turn): Anthropic.MessageParam[] {
  if (user !== undefined) return [{ role: 'user' as const, content: user }];
  return [
    {
      role: 'assistant' as const,
      content: calls.map(({ id, name, arguments: input }) => ({
        type: 'tool_use' as const,
        id,
        name,
        input,
      })),
    },
    {
      role: 'user' as const,
      content: results.map(({ id, text }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: text,
      })),
    },
  ];
}

function heardMessages(data: MessagesMessage, raw: string, headers: Headers): HeardAnswer {
  if (!('content' in data)) throw new Error('expected a complete message');
  return {
    text: data.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: data.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
    ),
    reason: data.stop_reason,
    inputTokens: data.usage.input_tokens,
    outputTokens: data.usage.output_tokens,
    raw,
    header: (name) => headers.get(name),
  };
}

export function bedrockClient({ baseUrl, key, model, tools, cached }: NetClientGiven): NetClient {
  const client = connectBedrock(baseUrl, key);
  let headers: Record<string, string> = {};
  client.middlewareStack.add(
    (next) => async (given) => {
      const result = await next(given);
      headers = (result.response as { headers: Record<string, string> }).headers;
      return result;
    },
    { step: 'deserialize', priority: 'high' },
  );
  return {
    format: 'converse',
    async ask(turns, stream, signal) {
      const input = {
        modelId: model,
        ...(cached === true ? { system: [{ text: instructions }, { cachePoint: { type: 'default' } }] } : {}),
        messages: turns.flatMap(toConverseMessages),
        toolConfig: { tools: tools.map(toConverseTool) },
      } as ConstructorParameters<typeof ConverseCommand>[0];
      const options = signal === undefined ? {} : { abortSignal: signal };
      if (stream) {
        const answer = await client.send(new ConverseStreamCommand(input), options);
        const events: ConverseStreamOutput[] = [];
        for await (const event of answer.stream ?? []) events.push(event);
        return heardConverseStream(events, headers);
      }
      const answer = await client.send(new ConverseCommand(input), options);
      const content = answer.output?.message?.content ?? [];
      return {
        text: content.map((block) => block.text ?? '').join(''),
        calls: content.flatMap(({ toolUse }) =>
          toolUse === undefined
            ? []
            : [{ id: toolUse.toolUseId ?? '', name: toolUse.name ?? '', arguments: toolUse.input }],
        ),
        reason: answer.stopReason,
        inputTokens: answer.usage?.inputTokens ?? -1,
        outputTokens: answer.usage?.outputTokens ?? -1,
        raw: JSON.stringify(answer),
        header: (name) => headers[name] ?? null,
      };
    },
  };
}

function toConverseMessages({ user, calls = [], results = [] }: Turn): object[] {
  if (user !== undefined) return [{ role: 'user', content: [{ text: user }] }];
  return [
    {
      role: 'assistant',
      content: calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } })),
    },
    {
      role: 'user',
      content: results.map(({ id, text }) => ({ toolResult: { toolUseId: id, content: [{ text }] } })),
    },
  ];
}

function heardConverseStream(
  events: readonly ConverseStreamOutput[],
  headers: Record<string, string>,
): HeardAnswer {
  const calls = new Map<number, { id: string; name: string; written: string }>();
  let text = '';
  for (const { contentBlockStart: start, contentBlockDelta: piece } of events) {
    const toolUse = start?.start?.toolUse;
    if (toolUse !== undefined)
      calls.set(start?.contentBlockIndex ?? -1, {
        id: toolUse.toolUseId ?? '',
        name: toolUse.name ?? '',
        written: '',
      });
    text += piece?.delta?.text ?? '';
    const call = calls.get(piece?.contentBlockIndex ?? -1);
    if (call !== undefined) call.written += piece?.delta?.toolUse?.input ?? '';
  }
  const usage = events.find(({ metadata }) => metadata !== undefined)?.metadata?.usage;
  return {
    text,
    calls: [...calls.values()].map(({ id, name, written }) => ({
      id,
      name,
      arguments: JSON.parse(written) as unknown,
    })),
    reason: events.find(({ messageStop }) => messageStop !== undefined)?.messageStop?.stopReason,
    inputTokens: usage?.inputTokens ?? -1,
    outputTokens: usage?.outputTokens ?? -1,
    raw: JSON.stringify(events),
    header: (name) => headers[name] ?? null,
  };
}
