import { z } from 'zod';
import { id } from '../base/common.ts';

/** The error body of chat completions, the proxies and the account endpoints. */
export const errorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      /** A code of the gateway, or the provider's own code. */
      code: z.string().nullable(),
      /** The invalid field, in the caller's spelling. */
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

/** The error body of the converse format. The header `x-amzn-errortype` carries the error type. */
export const converseErrorBody = z.object({ message: z.string() }).meta({ id: 'ConverseError' });
