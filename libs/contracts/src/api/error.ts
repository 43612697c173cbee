import { z } from 'zod';
import { id } from '../base/common.ts';

/** The error body of chat-completions, of the proxies and of the account endpoints. */
export const errorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      /** One of the gateway's codes, or what the provider said. */
      code: z.string().nullable(),
      /** The field at fault, in the caller's spelling. */
      param: z.string().nullable(),
      source: z.enum(['gateway', 'provider']),
    }),
    request_id: id,
  })
  .meta({ id: 'Error' });

/** The error body of the messages format. */
export const messagesErrorBody = z
  .object({
    type: z.literal('error'),
    error: z.object({ type: z.string(), message: z.string() }),
    request_id: id,
  })
  .meta({ id: 'MessagesError' });

/** The error body of the converse format; the kind of error stands in the header `x-amzn-errortype`. */
export const converseErrorBody = z.object({ message: z.string() }).meta({ id: 'ConverseError' });
