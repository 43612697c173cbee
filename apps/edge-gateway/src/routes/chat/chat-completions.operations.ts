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

const cloudField = (description: string) => z.string().optional().meta({ description });

/**
 * The fields that the gateway reads from a chat-completions request. Fields outside this list are forwarded
 * unchanged and checked by the provider.
 */
const chatCompletionsRequest = z
  .looseObject({
    model: modelField,
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
              'x-svc-examples': examplesField,
            })
            .optional(),
        }),
      )
      .max(toolsMax)
      .optional(),
    tool_choice: z.union([z.string(), z.looseObject({})]).optional(),
    stream: z.boolean().optional(),
    cloud_access_key_id: cloudField(
      'Access key of the hosted model service, used instead of a stored credential.',
    ),
    cloud_secret_access_key: cloudField('Secret key of the access key.'),
    cloud_region_name: cloudField('Region of the service; `us-east-1` by default.'),
    cloud_session_token: cloudField('Session token of temporary credentials.'),
    cloud_bearer_token_hosted: cloudField(
      'API key of the hosted model service, used instead of the access key.',
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
  summary: 'Chat in the chat-completions format',
  description:
    'Sends the request to the provider of its model with that provider’s stored credential. Tools are pruned by intent and their schemas shortened. Everything else is forwarded unchanged.',
  headers: chatRequestHeaders,
  body: { schema: chatCompletionsRequest },
  answer: {
    status: 200,
    description: 'The provider’s response.',
    schema: chatCompletion,
    headers: chatAnswerHeaders,
    streams: {
      contentType: 'text/event-stream',
      description: 'With `stream: true`: `chat.completion.chunk` events, then `data: [DONE]`.',
    },
  },
  errors: chatErrors,
};
