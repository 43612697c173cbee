import { z } from 'zod';
import {
  compressionMode,
  deferralMode,
  onBudgetExhausted,
  pruningMode,
  recallTarget,
  routingMode,
} from '../api/routing-preferences.ts';
import { count, id, sha256Hex, timestamp, toolNames } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** How models are chosen for the account, as far as the edge has to know. Its toggles are asked for apart. */
const grantRouting = z.object({
  mode: routingMode,
  /** Null is all of them. */
  allowedProviders: z.array(z.string()).nullable(),
  /** The dearest a model may be that is chosen automatically, in USD per million tokens. Null is no bound. */
  maxCostUsdPerMtok: z.number().nonnegative().nullable(),
  /** `<provider>/<model>`, the first one first. */
  fallbacks: z.array(z.string()),
});

/** What the edge needs to know of a key to serve its requests. Limits are the effective ones. */
export const keyGrant = z.object({
  accountId: id,
  keyId: id,
  expiresAt: timestamp.nullable(),
  rateLimitRpm: count,
  // Fields with a default are new: an account service of the release before does not send them yet. The defaults go
  // with the next release.
  /** Saved tokens a UTC day, and a UTC week from Monday on. */
  dailyTokenBudget: count.default(5_000_000),
  weeklyTokenBudget: count.default(25_000_000),
  /** What becomes of a request when a budget is spent: it goes out unoptimized, or is refused. */
  onBudgetExhausted: onBudgetExhausted.default('pass'),
  kTargetOverride: z.int().min(1).max(512).nullable(),
  allowedTools: toolNames.nullable(),
  deniedTools: toolNames.nullable(),
  /** Grows with every change of the key or of its account's policy. */
  epoch: count,
  pruning: z.object({
    mode: pruningMode,
    recallTarget,
    recovery: z.boolean().default(true),
    native: z.array(deferralMode).default([]),
  }),
  compression: z.object({ mode: compressionMode, applyWithoutTools: z.boolean() }),
  routing: grantRouting.default({
    mode: 'auto',
    allowedProviders: null,
    maxCostUsdPerMtok: null,
    fallbacks: [],
  }),
  /** Whether contents of messages and tools may be stored. */
  contentLogging: z.boolean().default(false),
  retentionDays: z.int().min(1).default(30),
  /** Share of sessions, 0 to 1, whose plan is made and not followed. */
  shadowShare: z.number().min(0).max(1).default(0.05),
  /** The account that set-up made to look around with: it measures nothing. */
  isDemo: z.boolean().default(false),
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
