import { z } from 'zod';
import { id, sha256Hex } from '../common.ts';
import { defineRpc } from '../define.ts';

/** What stands in a marker: `[… 12 lines left out: 0123456789ab]`. */
export const markerId = z.string().regex(/^[0-9a-f]{12}$/);

/**
 * What markers stand for, by the account and the session that they were made in: to any other, and after a day, an id means
 * nothing. Answers in the order asked; null for what is not kept, and for what does not fit into one message beside those before
 * it (asked for alone, each does).
 */
export const recallOriginals = defineRpc({
  subject: 'compressor.recall-originals.v1',
  server: 'compressor',
  callers: ['edge-gateway'],
  deadlineMs: 1_000,
  request: z.object({
    accountId: id,
    /** As in `compress-blocks`: the session's seed. */
    session: sha256Hex,
    ids: z.array(markerId).min(1).max(64),
  }),
  reply: z.object({ originals: z.array(z.string().nullable()) }),
});
export type RecallOriginalsRequest = z.infer<typeof recallOriginals.request>;
