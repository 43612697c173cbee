import { z } from 'zod';
import { count, id, sha256Hex, timestamp, toolNames } from '../common.ts';
import { defineRpc } from '../define.ts';

/** What the edge needs to know of a key to serve its requests. Limits are the effective ones. */
export const keyGrant = z.object({
  accountId: id,
  keyId: id,
  expiresAt: timestamp.nullable(),
  rateLimitRpm: count,
  kTargetOverride: z.int().min(1).max(512).nullable(),
  allowedTools: toolNames.nullable(),
  deniedTools: toolNames.nullable(),
  /** Grows with every change of the key or of its account's policy. */
  epoch: count,
  pruning: z.object({ mode: z.enum(['on', 'shadow', 'off']), recallTarget: z.number().min(0.5).max(0.9999) }),
  compression: z.object({ mode: z.enum(['off', 'lossless', 'balanced']), applyWithoutTools: z.boolean() }),
});
export type KeyGrant = z.infer<typeof keyGrant>;

/**
 * Looks a key up. The secret never crosses the bus: the edge sends its SHA-256, and the account service keeps an
 * HMAC of that under a pepper of its own. Unknown and revoked keys get one and the same answer.
 */
export const authenticateKey = defineRpc({
  subject: 'account.authenticate-key.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 2_000,
  request: z.object({ keySha256: sha256Hex }),
  reply: z.object({ grant: keyGrant.nullable() }),
});
