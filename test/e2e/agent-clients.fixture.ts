import type { PlannedFormat } from '@gateway/interchange';
import { toMessagesTool } from './anthropic.fixture.ts';
import { toConverseTool } from './bedrock.fixture.ts';
import { githubTools, type FunctionTool } from './github-tools.fixture.ts';
import { sendUntilEnd, type PartialAnswer } from './http.fixture.ts';
import { readAnswer, readStream, type ReadAnswer } from './answers.fixture.ts';

/** The client's restriction on which tools the model may call. */
export type Choice = 'required' | 'none' | { readonly tool: string };

export interface AskOptions {
  readonly stream: boolean;
  readonly choice?: Choice;
  /** Whether the request turns reasoning on. In formats without a reasoning field, `thinks` has no effect. */
  readonly thinks?: boolean;
  readonly tools?: readonly FunctionTool[];
  /** Whether the client sets a prompt cache marker on its instructions. */
  readonly cached?: boolean;
  /** Whether the client sets a prompt cache marker on its newest message, as coding agents do. */
  readonly marksNewest?: boolean;
}

export interface AgentAnswer extends ReadAnswer {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | null;
}

/**
 * An agent that keeps its transcript in the format of its requests. The agent sends each assistant message
 * back to the gateway unchanged.
 */
export interface Agent {
  readonly format: PlannedFormat;
  user(text: string): object;
  /** Returns one message with a tool result for each tool call in a response. */
  results(answer: ReadAnswer, text: string): object[];
  ask(messages: readonly object[], options: AskOptions): Promise<AgentAnswer>;
}

interface AgentGiven {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
}

const instructions = 'You help with repositories. '.repeat(200);

export function openAgent(format: PlannedFormat, { baseUrl, key, model }: AgentGiven): Agent {
  const style = styles[format];
  return {
    format,
    user: (text) => style.user(text),
    results: (answer, text) => style.results(answer, text),
    async ask(messages, options) {
      const path = style.path(model, options.stream);
      const body = style.body(model, messages, options);
      const answer = await sendUntilEnd(baseUrl, { path, key, body });
      return hear(format, answer, options.stream);
    },
  };
}

function hear(format: PlannedFormat, answer: PartialAnswer, stream: boolean): AgentAnswer {
  const isStream = stream && !(answer.headers['content-type'] ?? '').includes('application/json');
  const read = isStream ? readStream(format, answer.bytes) : readAnswer(format, answer.text);
  return {
    ...read,
    error: answer.brokenBy?.code ?? read.error,
    status: answer.status,
    header: (name) => {
      const value = answer.headers[name];
      return typeof value === 'string' ? value : null;
    },
  };
}

interface Style {
  path(model: string, stream: boolean): string;
  user(text: string): object;
  results(answer: ReadAnswer, text: string): object[];
  body(model: string, messages: readonly object[], options: AskOptions): object;
}

const chat: Style = {
  path: () => '/v1/chat/completions',
  user: (text) => ({ role: 'user', content: text }),
  results: ({ calls }, text) => calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: text })),
  body: (model, messages, { stream, choice, tools = githubTools }) => ({
    model,
    messages,
    tools,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(choice === undefined
      ? {}
      : {
          tool_choice:
            typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } },
        }),
  }),
};

const messagesStyle: Style = {
  path: () => '/v1/messages',
  user: (text) => ({ role: 'user', content: text }),
  results: ({ calls }, text) => [
    {
      role: 'user',
      content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
    },
  ],
  body: (model, messages, { stream, choice, thinks, cached, marksNewest, tools = githubTools }) => ({
    model,
    max_tokens: 4096,
    ...(cached === true
      ? { system: [{ type: 'text', text: instructions, cache_control: { type: 'ephemeral' } }] }
      : {}),
    messages: marksNewest === true ? messages.map(markLast) : messages,
    tools: tools.map(toMessagesTool),
    ...(stream ? { stream: true } : {}),
    ...(thinks === true ? { thinking: { type: 'enabled', budget_tokens: 1024 } } : {}),
    ...(choice === undefined ? {} : { tool_choice: messagesChoice(choice) }),
  }),
};

/**
 * Adds a cache marker to the last message. A text message becomes a content block, because cache markers are
 * attached to content blocks.
 */
function markLast(message: object, at: number, messages: readonly object[]): object {
  if (at < messages.length - 1) return message;
  const { role, content } = message as { role: string; content: string | object[] };
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const marker = { cache_control: { type: 'ephemeral' } };
  return {
    role,
    content: blocks.map((block, place) => (place < blocks.length - 1 ? block : { ...block, ...marker })),
  };
}

function messagesChoice(choice: Choice): object {
  if (typeof choice !== 'string') return { type: 'tool', name: choice.tool };
  return { type: choice === 'required' ? 'any' : 'none' };
}

function pointBehindLast(message: object, at: number, messages: readonly object[]): object {
  const { content } = message as { content: object[] };
  return at < messages.length - 1
    ? message
    : { ...message, content: [...content, { cachePoint: { type: 'default' } }] };
}

const converse: Style = {
  path: (model, stream) => `/model/${encodeURIComponent(model)}/${stream ? 'converse-stream' : 'converse'}`,
  user: (text) => ({ role: 'user', content: [{ text }] }),
  results: ({ calls }, text) => [
    {
      role: 'user',
      content: calls.map(({ id }) => ({ toolResult: { toolUseId: id, content: [{ text }] } })),
    },
  ],
  body: (_model, messages, { choice, thinks, cached, marksNewest, tools = githubTools }) => ({
    ...(cached === true ? { system: [{ text: instructions }, { cachePoint: { type: 'default' } }] } : {}),
    messages: marksNewest === true ? messages.map(pointBehindLast) : messages,
    inferenceConfig: { maxTokens: 4096 },
    toolConfig: {
      tools: tools.map(toConverseTool),
      ...(choice === undefined
        ? {}
        : { toolChoice: typeof choice === 'string' ? { any: {} } : { tool: { name: choice.tool } } }),
    },
    ...(thinks === true
      ? { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } } }
      : {}),
  }),
};

const styles: { readonly [Format in PlannedFormat]: Style } = {
  'chat-completions': chat,
  messages: messagesStyle,
  converse,
};
