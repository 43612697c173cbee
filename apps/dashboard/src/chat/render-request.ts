import type { ChatFormat, PlaygroundTool, ToolCall, Turn } from './conversation.ts';

/** Maximum response length in tokens. The messages format requires such a maximum. */
const answerTokensMax = 1_024;

export interface ChatRequest {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly PlaygroundTool[];
  readonly stream: boolean;
}

export interface RenderedRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Renders a conversation as a request in the given chat format. Returns the path and the body of the request.
 */
export function renderRequest(format: ChatFormat, request: ChatRequest): RenderedRequest {
  switch (format) {
    case 'chat-completions':
      return { path: '/v1/chat/completions', body: renderCompletions(request) };
    case 'messages':
      return { path: '/v1/messages', body: renderMessages(request) };
    case 'converse': {
      const verb = request.stream ? 'converse-stream' : 'converse';
      return { path: `/model/${encodeURIComponent(request.model)}/${verb}`, body: renderConverse(request) };
    }
  }
}

function renderCompletions({ model, turns, tools, stream }: ChatRequest) {
  return {
    model,
    messages: turns.flatMap(completionsMessages),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({
            type: 'function',
            function: { name, description, parameters: schema },
          })),
        }),
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  };
}

function completionsMessages(turn: Turn): unknown[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: turn.text }];
    case 'assistant': {
      const calls = turn.calls.map(({ id, name, argumentsJson }) => ({
        id,
        type: 'function',
        function: { name, arguments: argumentsJson },
      }));
      const content = turn.text === '' ? null : turn.text;
      return [{ role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
    }
    case 'tool':
      return turn.results.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text }));
  }
}

function renderMessages({ model, turns, tools, stream }: ChatRequest) {
  return {
    model,
    max_tokens: answerTokensMax,
    messages: turns.map(messagesMessage),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
        }),
    ...(stream ? { stream } : {}),
  };
}

function messagesMessage(turn: Turn): unknown {
  switch (turn.role) {
    case 'user':
      return { role: 'user', content: turn.text };
    case 'assistant': {
      const calls = turn.calls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.name,
        input: parseArguments(call),
      }));
      return { role: 'assistant', content: [...textBlocks(turn.text, 'messages'), ...calls] };
    }
    case 'tool':
      return {
        role: 'user',
        content: turn.results.map(({ call, text }) => ({
          type: 'tool_result',
          tool_use_id: call.id,
          content: text,
        })),
      };
  }
}

function renderConverse({ turns, tools }: ChatRequest) {
  return {
    messages: turns.map(converseMessage),
    ...(tools.length === 0
      ? {}
      : {
          toolConfig: {
            tools: tools.map(({ name, description, schema }) => ({
              toolSpec: {
                name,
                ...(description === '' ? {} : { description }),
                inputSchema: { json: schema },
              },
            })),
          },
        }),
  };
}

function converseMessage(turn: Turn): unknown {
  switch (turn.role) {
    case 'user':
      return { role: 'user', content: [{ text: turn.text }] };
    case 'assistant': {
      const calls = turn.calls.map((call) => ({
        toolUse: { toolUseId: call.id, name: call.name, input: parseArguments(call) },
      }));
      return { role: 'assistant', content: [...textBlocks(turn.text, 'converse'), ...calls] };
    }
    case 'tool':
      return {
        role: 'user',
        content: turn.results.map(({ call, text }) => ({
          toolResult: { toolUseId: call.id, content: [{ text }] },
        })),
      };
  }
}

function textBlocks(text: string, format: 'messages' | 'converse'): unknown[] {
  if (text === '') return [];
  return [format === 'messages' ? { type: 'text', text } : { text }];
}

/** Incomplete arguments of a tool call are not valid JSON, so an empty object is sent in their place. */
function parseArguments({ argumentsJson }: ToolCall): unknown {
  try {
    return JSON.parse(argumentsJson || '{}');
  } catch {
    return {};
  }
}
