import { z } from 'zod';
import { count, id } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/**
 * Sends the tools that an account offers together, so that their descriptions can be assessed. Only scores,
 * reasons and names are stored. The definitions are not stored.
 */
export const assessTools = defineRpc({
  subject: 'worker.assess-tools.v1',
  server: 'worker',
  callers: ['edge-gateway'],
  deadlineMs: 10_000,
  request: z.object({
    accountId: id,
    tools: z
      .array(
        z.object({
          name: z.string().max(256),
          description: z.string(),
          /** The JSON Schema of the arguments, or null. */
          parameters: z.unknown(),
          examples: z.array(z.string()),
        }),
      )
      .max(1_000),
  }),
  reply: z.object({ assessed: count }),
});
