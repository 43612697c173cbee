import { z } from 'zod';
import { chatAnswerHeaders, chatRequestHeaders } from '../../http/chat-headers.ts';
import { chatErrors } from '../../http/chat-errors.ts';
import type { Operation } from '../../openapi/operation.ts';

const cloudField = (description: string) => z.string().optional().meta({ description });

/** What the gateway reads. Whatever else the format knows is forwarded as it came, and the provider’s to judge. */
const chatCompletionsRequest = z
  .looseObject({
    model: z.string().meta({
      description:
        'A model, `<provider>/<model>`, or a routing string: `svc/auto` (by task complexity, or by the `mode` of your routing preferences), `svc/cheap`, `svc/fast` or `svc/capable`.',
    }),
    messages: z.array(z.looseObject({ role: z.string() })),
    tools: z
      .array(
        z.looseObject({
          type: z.string(),
          function: z
            .looseObject({
              name: z.string(),
              description: z.string().optional(),
              parameters: z.looseObject({}).optional(),
              'x-svc-examples': z.array(z.unknown()).optional().meta({
                description: 'Requests that this tool is for. Used to choose tools; never forwarded.',
              }),
            })
            .optional(),
        }),
      )
      .max(4096)
      .optional(),
    tool_choice: z.union([z.string(), z.looseObject({})]).optional(),
    stream: z.boolean().optional(),
    cloud_access_key_id: cloudField(
      'Access key of the hosted model service, in place of a stored credential.',
    ),
    cloud_secret_access_key: cloudField('Its secret key.'),
    cloud_region_name: cloudField('Its region; `us-east-1` unless given.'),
    cloud_session_token: cloudField('The session token of temporary credentials.'),
    cloud_bearer_token_hosted: cloudField(
      'An API key of the hosted model service, in place of the access key.',
    ),
  })
  .meta({ id: 'ChatCompletionsRequest' });

const chatCompletion = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(z.looseObject({ index: z.int(), finish_reason: z.string().nullable() })),
    usage: z
      .looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
      .optional(),
  })
  .meta({ id: 'ChatCompletion' });

export const createChatCompletion: Operation = {
  id: 'createChatCompletion',
  tag: 'Chat',
  summary: 'Chat, in the chat-completions format',
  description:
    'The request goes to the provider of its model, with that provider’s stored credential. Tools are pruned by intent and their schemas shortened; everything else is forwarded as it came.',
  headers: chatRequestHeaders,
  body: { schema: chatCompletionsRequest },
  answer: {
    status: 200,
    description: 'What the provider answered.',
    schema: chatCompletion,
    headers: chatAnswerHeaders,
    streams: {
      contentType: 'text/event-stream',
      description: 'With `stream: true`: `chat.completion.chunk` events, then `data: [DONE]`.',
    },
  },
  errors: chatErrors,
};
