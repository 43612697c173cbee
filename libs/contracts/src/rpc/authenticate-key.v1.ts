import { z } from 'zod';
import {
  compressionMode,
  deferralMode,
  onBudgetExhausted,
  pruningMode,
  recallTarget,
  routingMode,
} from '../api/routing-preferences.ts';
import { allKeyScopes, keyScopes } from '../api/account.ts';
import { count, id, sha256Hex, timestamp, toolNames } from '../base/common.ts';
import { defineRpc, interactiveMs } from '../base/define.ts';

/**
 * The account's rules for choosing models, with only the fields that the gateway reads. The list of excluded
 * models is not part of these rules.
 */
const grantRouting = z.object({
  mode: routingMode,
  /** The allowed providers. Null allows all providers. */
  allowedProviders: z.array(z.string()).nullable(),
  /** Maximum price for automatically chosen models, in USD per million tokens. Null means no limit. */
  maxCostUsdPerMtok: z.number().nonnegative().nullable(),
  /** Fallback models as `<provider>/<model>`, in the order in which the gateway tries the models. */
  fallbacks: z.array(z.string()),
  /** Preferred providers for models named without a provider. The previous release omits `providerOrder`. */
  providerOrder: z.array(z.string()).default([]),
});

/**
 * The grant of an API key, with the data that the gateway needs to serve requests. The limits include the
 * limits inherited from the account policy.
 */
export const keyGrant = z.object({
  accountId: id,
  keyId: id,
  expiresAt: timestamp.nullable(),
  rateLimitRpm: count,
  // Account services from the previous release omit the fields that have a default value.
  // Remove the default values in the next release.
  /** The groups of operations that the API key may call. */
  scopes: keyScopes.default([...allKeyScopes]),
  /** Budgets in saved tokens per UTC day and per UTC week. Weeks start on Monday. */
  dailyTokenBudget: count.default(5_000_000),
  weeklyTokenBudget: count.default(25_000_000),
  /** What happens to requests after a budget is used up. The gateway sends them unoptimized or rejects them. */
  onBudgetExhausted: onBudgetExhausted.default('pass'),
  kTargetOverride: z.int().min(1).max(512).nullable(),
  allowedTools: toolNames.nullable(),
  deniedTools: toolNames.nullable(),
  /** A number that increases with every change to the API key or to the account's policy. */
  epoch: count,
  pruning: z.object({
    mode: pruningMode,
    recallTarget,
    recovery: z.boolean().default(true),
    native: z.array(deferralMode).default([]),
  }),
  compression: z.object({ mode: compressionMode, applyWithoutTools: z.boolean() }),
  /**
   * Whether the gateway adds cache markers to translated requests. Account services from the previous release
   * omit `caching`.
   */
  caching: z.object({ markers: z.boolean() }).default({ markers: true }),
  /** Whether requests to the Responses API are handled as chat requests instead of being proxied. */
  responses: z.object({ plan: z.boolean() }).default({ plan: false }),
  routing: grantRouting.default({
    mode: 'auto',
    allowedProviders: null,
    maxCostUsdPerMtok: null,
    fallbacks: [],
    providerOrder: [],
  }),
  /** Whether the contents of messages and tools may be stored. */
  contentLogging: z.boolean().default(false),
  retentionDays: z.int().min(1).default(30),
  /**
   * Share of shadow conversations, from 0 to 1. In a shadow conversation, the plan is recorded but not
   * applied.
   */
  shadowShare: z.number().min(0).max(1).default(0.05),
  /**
   * Share of shadow conversations, from 0 to 1. The share applies while a bucket has few measurements, or
   * while the bucket's recall is retested.
   */
  shadowShareLearning: z.number().min(0).max(1).default(0.2),
  /**
   * Whether the account is the demo account that the setup creates for trying out the gateway. The demo
   * account is excluded from measurements.
   */
  isDemo: z.boolean().default(false),
});
export type KeyGrant = z.infer<typeof keyGrant>;

/**
 * Looks up an API key. The gateway sends only the SHA-256 of the API key's secret. The account service stores
 * only an HMAC of the SHA-256, keyed with the service's pepper. Unknown and revoked API keys get the same
 * reply.
 */
export const authenticateKey = defineRpc({
  subject: 'account.authenticate-key.v1',
  server: 'account',
  callers: ['edge-gateway'],
  deadlineMs: interactiveMs,
  request: z.object({ keySha256: sha256Hex }),
  reply: z.object({ grant: keyGrant.nullable() }),
});
