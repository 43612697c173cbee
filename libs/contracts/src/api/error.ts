import { z } from 'zod';
import { id } from '../base/common.ts';

const docsUrl = z
  .string()
  .optional()
  .meta({
    description:
      'The documentation page about the error code, as a path on the gateway. Errors from a provider have no page.',
    examples: ['/docs/operations/failure-modes#invalid_api_key'],
  });

/** The body of error responses from chat completions, the proxies and the account endpoints. */
export const errorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      /** A gateway error code, or the provider's own code. */
      code: z.string().nullable(),
      /** The name of the invalid field, spelled as in the request. */
      param: z.string().nullable(),
      source: z.enum(['gateway', 'provider']),
      docs_url: docsUrl,
    }),
    request_id: id,
  })
  .meta({ id: 'Error' });

/** The body of error responses in the messages format. */
export const messagesErrorBody = z
  .object({
    type: z.literal('error'),
    error: z.object({ type: z.string(), message: z.string(), docs_url: docsUrl }),
    request_id: id,
  })
  .meta({ id: 'MessagesError' });

/**
 * The body of error responses in the converse format. The `x-amzn-errortype` header carries the error type.
 */
export const converseErrorBody = z
  .object({ message: z.string(), docs_url: docsUrl })
  .meta({ id: 'ConverseError' });
