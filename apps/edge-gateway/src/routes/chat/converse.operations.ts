import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';
import { toolsMax } from '../../tool-lists/tool-members.ts';
import { chatAnswerHeaders, chatErrors, chatRequestHeaders, examplesField } from './chat-operation.ts';

const block = z.looseObject({});

/**
 * The fields that the gateway reads from a request in the converse format. Fields that the converse format
 * does not define are rejected.
 */
const converseRequest = z
  .looseObject({
    messages: z.array(z.looseObject({ role: z.string(), content: z.array(block) })),
    system: z.array(block).optional(),
    toolConfig: z
      .looseObject({
        tools: z
          .array(
            z.looseObject({
              toolSpec: z
                .looseObject({
                  name: z.string(),
                  description: z.string().optional(),
                  inputSchema: z.looseObject({}).optional(),
                  'x-svc-examples': examplesField,
                })
                .optional(),
            }),
          )
          .max(toolsMax),
        toolChoice: z.looseObject({}).optional(),
      })
      .optional(),
  })
  .meta({ id: 'ConverseRequest' });

const converseAnswer = z
  .looseObject({
    output: z.looseObject({ message: z.looseObject({ role: z.string(), content: z.array(block) }) }),
    stopReason: z.string(),
    usage: z.looseObject({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() }),
  })
  .meta({ id: 'ConverseAnswer' });

const common = {
  tag: 'Chat',
  params: z.object({
    id: z.string().meta({
      description:
        'The percent-encoded model: `<provider>/<model>`, an id without provider, or a routing string (`svc%2Fauto`).',
      examples: ['sandbox/sandbox-1'],
    }),
  }),
  headers: chatRequestHeaders,
  body: { schema: converseRequest },
  errors: [...chatErrors, 'unknown_field'],
} as const satisfies Partial<Operation>;

export const converse: Operation = {
  ...common,
  id: 'converse',
  summary: 'Chat in the converse format',
  answer: {
    status: 200,
    description: 'The provider’s response.',
    schema: converseAnswer,
    headers: chatAnswerHeaders,
  },
};

export const converseStream: Operation = {
  ...common,
  id: 'converseStream',
  summary: 'Chat in the converse format with a streamed response',
  answer: {
    status: 200,
    description: 'The events of the format in binary frames.',
    contentType: 'application/vnd.amazon.eventstream',
    schema: z.string().meta({ format: 'binary' }),
    headers: chatAnswerHeaders,
  },
};
