import { z } from 'zod';
import { count, id } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/**
 * Sends the tools that an account offers together, so that the worker can assess their descriptions. The
 * worker stores only scores, reasons and names. The worker does not store the definitions.
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
          /** The JSON Schema of the tool's arguments, or null. */
          parameters: z.unknown(),
          examples: z.array(z.string()),
        }),
      )
      .max(1_000),
  }),
  reply: z.object({ assessed: count }),
});
