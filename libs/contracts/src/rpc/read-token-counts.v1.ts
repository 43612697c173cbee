import { z } from 'zod';
import { count } from '../common.ts';
import { defineRpc } from '../define.ts';

/** Names a block of context, the same as often as it is compressed: from its session and its text. */
export const blockId = z.string().regex(/^[0-9a-f]{16}$/);

export const tokenCounts = z.object({ before: count, after: count });
export type TokenCounts = z.infer<typeof tokenCounts>;

/**
 * Exact tokens (o200k) of compressed blocks, before and after, in the order asked. They are counted when nobody waits for them;
 * null for what is not counted yet, or not kept any more.
 */
export const readTokenCounts = defineRpc({
  subject: 'compressor.read-token-counts.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({ blocks: z.array(blockId).min(1).max(64) }),
  reply: z.object({ counts: z.array(tokenCounts.nullable()) }),
});
