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

/**
 * The account's rules for choosing models, as far as the gateway needs them. Model toggles have a separate
 * call.
 */
const grantRouting = z.object({
  mode: routingMode,
  /** Null: all providers. */
  allowedProviders: z.array(z.string()).nullable(),
  /** Maximum price of an automatically chosen model, in USD per million tokens. Null: no limit. */
  maxCostUsdPerMtok: z.number().nonnegative().nullable(),
  /** `<provider>/<model>`, in the order of use. */
  fallbacks: z.array(z.string()),
});

/** The facts about a key that the gateway needs to serve its requests. Limits are the effective values. */
export const keyGrant = z.object({
  accountId: id,
  keyId: id,
  expiresAt: timestamp.nullable(),
  rateLimitRpm: count,
  // Fields with a default are new: an account service of the previous release does not send them. Remove the
  // defaults with the next release.
  /** Saved tokens per UTC day, and per UTC week, which starts on Monday. */
  dailyTokenBudget: count.default(5_000_000),
  weeklyTokenBudget: count.default(25_000_000),
  /** What happens when a budget is used up: the request is sent unoptimized, or rejected. */
  onBudgetExhausted: onBudgetExhausted.default('pass'),
  kTargetOverride: z.int().min(1).max(512).nullable(),
  allowedTools: toolNames.nullable(),
  deniedTools: toolNames.nullable(),
  /** Increases with every change of the key or of its account's policy. */
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
  /** Whether the contents of messages and tools may be stored. */
  contentLogging: z.boolean().default(false),
  retentionDays: z.int().min(1).default(30),
  /** Share of conversations, 0 to 1, whose plan is recorded but not applied. */
  shadowShare: z.number().min(0).max(1).default(0.05),
  /** The account that set-up creates for trying the gateway. It is excluded from measurements. */
  isDemo: z.boolean().default(false),
});
export type KeyGrant = z.infer<typeof keyGrant>;

/**
 * Looks up a key. The secret never crosses the bus: the gateway sends its SHA-256, and the account service
 * stores an HMAC of that hash under its own pepper. Unknown and revoked keys return the same reply.
 */
export const authenticateKey = defineRpc({
  subject: 'account.authenticate-key.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: 2_000,
  request: z.object({ keySha256: sha256Hex }),
  reply: z.object({ grant: keyGrant.nullable() }),
});
