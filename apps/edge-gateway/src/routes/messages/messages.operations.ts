import { z } from 'zod';
import { chatErrors } from '../../http/chat-errors.ts';
import { chatAnswerHeaders, chatRequestHeaders, rateLimitHeaders } from '../../http/chat-headers.ts';
import type { Operation } from '../../openapi/operation.ts';

/** What the gateway reads of any request of the format. */
const messagesInput = z.looseObject({
  model: z.string().meta({
    description:
      'A model, `<provider>/<model>`, or a routing string: `svc/auto` (by task complexity, or by the `mode` of your routing preferences), `svc/cheap`, `svc/fast` or `svc/capable`.',
  }),
  messages: z.array(z.looseObject({ role: z.string() })),
  system: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
  tools: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        input_schema: z.looseObject({}).optional(),
        'x-svc-examples': z
          .array(z.unknown())
          .optional()
          .meta({ description: 'Requests that this tool is for. Used to choose tools; never forwarded.' }),
      }),
    )
    .max(4096)
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
  summary: 'Chat, in the messages format',
  description: 'As chat-completions, in the messages format. The key may also come as `x-api-key`.',
  headers: chatRequestHeaders,
  body: { schema: messagesRequest },
  answer: {
    status: 200,
    description: 'What the provider answered.',
    schema: message,
    headers: chatAnswerHeaders,
    streams: {
      contentType: 'text/event-stream',
      description: 'With `stream: true`: the events of the format, from `message_start` to `message_stop`.',
    },
  },
  errors: chatErrors,
  takesKeyHeader: true,
};

export const countMessageTokens: Operation = {
  id: 'countMessageTokens',
  tag: 'Chat',
  summary: 'Count the tokens of a request in the messages format',
  description: 'A provider that speaks the format counts by itself; for any other the gateway estimates.',
  body: { schema: messagesInput.meta({ id: 'CountTokensRequest' }) },
  answer: {
    status: 200,
    description: 'How many tokens the request has.',
    schema: z.looseObject({ input_tokens: z.int().nonnegative() }).meta({ id: 'TokenCount' }),
    headers: { ...rateLimitHeaders, 'x-svc-estimated': '`true` when the gateway estimated.' },
  },
  errors: chatErrors,
  takesKeyHeader: true,
};
