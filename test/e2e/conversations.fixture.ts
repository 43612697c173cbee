import { githubTools } from './github-tools.fixture.ts';

/** A typical tool result, with a number that JavaScript cannot represent exactly. */
export const result = (id: string): string =>
  JSON.stringify(
    {
      id,
      exact: 'EXACT',
      orders: ['a', 'b', 'c'].map((name) => ({ name, price: 1.5, tags: [name], note: `order ${name} é` })),
    },
    null,
    4,
  ).replace('"EXACT"', '12345678901234567890');

/**
 * A conversation of an agent with one tool. Request n contains n tool results, and only the last tool result
 * is new.
 */
export interface Conversation {
  readonly name: string;
  readonly path: string;
  body(results: readonly string[], mark?: number): Record<string, unknown>;
  /** Returns the tool results in the body that the provider received. */
  resultsIn(body: unknown): string[];
}

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const first = 'What is in my orders, and what do they cost?';
const tool = githubTools[0]!;
const marker = { cache_control: { type: 'ephemeral' } };

export const chatConversation: Conversation = {
  name: 'chat completions',
  path: '/v1/chat/completions',
  body: (results) => ({
    model: 'openai/gpt-4o',
    messages: [
      { role: 'user', content: first },
      ...results.flatMap((content, at) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: `c${at}`, type: 'function', function: { name: tool.function.name, arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: `c${at}`, content },
      ]),
    ],
    tools: [tool],
  }),
  resultsIn: (body) =>
    (body as ChatBody).messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
};

interface MessagesBody {
  readonly messages: readonly {
    readonly content: string | readonly { content?: readonly { text: string }[] }[];
  }[];
}

export const messagesConversation: Conversation = {
  name: 'messages',
  path: '/v1/messages',
  body: (results, mark) => ({
    model: 'anthropic/claude-sonnet-4-5',
    max_tokens: 100,
    messages: [
      { role: 'user', content: first },
      ...results.flatMap((text, at) => [
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: `c${at}`, name: tool.function.name, input: {} }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: `c${at}`,
              content: [{ type: 'text', text }],
              ...(mark === at ? marker : {}),
            },
          ],
        },
      ]),
    ],
    tools: [{ name: tool.function.name, input_schema: { type: 'object' } }],
  }),
  resultsIn: (body) =>
    (body as MessagesBody).messages.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((block) => (block.content ?? []).map(({ text }) => text)),
    ),
};

interface ConverseBody {
  readonly messages: readonly {
    readonly content: readonly { toolResult?: { content: { text: string }[] } }[];
  }[];
}

export const converseConversation: Conversation = {
  name: 'converse',
  path: `/model/${encodeURIComponent('hosted/anthropic.claude-sonnet-4-5-20250929-v1:0')}/converse`,
  body: (results) => ({
    messages: [
      { role: 'user', content: [{ text: first }] },
      ...results.flatMap((text, at) => [
        {
          role: 'assistant',
          content: [{ toolUse: { toolUseId: `c${at}`, name: tool.function.name, input: {} } }],
        },
        { role: 'user', content: [{ toolResult: { toolUseId: `c${at}`, content: [{ text }] } }] },
      ]),
    ],
    toolConfig: {
      tools: [{ toolSpec: { name: tool.function.name, inputSchema: { json: { type: 'object' } } } }],
    },
  }),
  resultsIn: (body) =>
    (body as ConverseBody).messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.toolResult?.content ?? []).map(({ text }) => text)),
    ),
};
