import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';
import { toolsMax } from '../../tool-lists/tool-members.ts';
import {
  chatAnswerHeaders,
  chatErrors,
  chatRequestHeaders,
  examplesField,
  modelField,
} from './chat-operation.ts';

/** The fields that the gateway reads from every request in the messages format. */
const messagesInput = z.looseObject({
  model: modelField,
  messages: z.array(z.looseObject({ role: z.string() })),
  system: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
  tools: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        input_schema: z.looseObject({}).optional(),
        'x-svc-examples': examplesField,
      }),
    )
    .max(toolsMax)
    .optional(),
  tool_choice: z.looseObject({ type: z.string() }).optional(),
});

const messagesRequest = messagesInput
  .extend({ max_tokens: z.int(), stream: z.boolean().optional() })
  .meta({ id: 'MessagesRequest' });

const message = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
  })
  .meta({ id: 'Message' });

export const createMessage: Operation = {
  id: 'createMessage',
  tag: 'Chat',
  summary: 'Chat in the messages format',
  description: 'Works like `POST /v1/chat/completions`. The key may also be sent as `x-api-key`.',
  headers: chatRequestHeaders,
  body: { schema: messagesRequest },
  answer: {
    status: 200,
    description: 'The provider’s response.',
    schema: message,
    headers: chatAnswerHeaders,
    streams: {
      contentType: 'text/event-stream',
      description: 'With `stream: true`: the events of the format, from `message_start` to `message_stop`.',
    },
  },
  errors: [...chatErrors, 'thread_unsupported_request'],
  takesKeyHeader: true,
};

export const countMessageTokens: Operation = {
  id: 'countMessageTokens',
  tag: 'Chat',
  summary: 'Count the tokens of a request in the messages format',
  description:
    'A provider that supports the format counts the tokens. For other providers the gateway estimates them.',
  body: { schema: messagesInput.meta({ id: 'CountTokensRequest' }) },
  answer: {
    status: 200,
    description: 'Number of tokens of the request.',
    schema: z.looseObject({ input_tokens: z.int().nonnegative() }).meta({ id: 'TokenCount' }),
    headers: { 'x-svc-estimated': '`true` if the count is an estimate.' },
  },
  errors: [...chatErrors, 'thread_unsupported_request'],
  takesKeyHeader: true,
};
