import { z } from 'zod';
import { keepable } from '../base/common.ts';

export const routingMode = z.enum(['auto', 'cheap', 'fast', 'capable']);
export type RoutingMode = z.infer<typeof routingMode>;
export const pruningMode = z.enum(['on', 'shadow', 'off']);
export const compressionMode = z.enum(['off', 'lossless', 'balanced']);
export const recallTarget = z.number().min(0.5).max(0.9999);
/**
 * Glossary: deferral. `deferred_loading`: the provider keeps definitions out of the prompt until the model
 * searches for them. `allowed_tools`: all definitions stay in the prompt, and the request lists the callable
 * ones. This mode saves no tokens and does not change the cached prefix.
 */
export const deferralMode = z.enum(['deferred_loading', 'allowed_tools']);
/** `pass`: the request is sent unoptimized. `reject`: the gateway returns 402. */
export const onBudgetExhausted = z.enum(['pass', 'reject']);

const pruning = z.strictObject({
  mode: pruningMode,
  recall_target: recallTarget,
  recovery: z.boolean(),
  /**
   * Deferral features of the provider that replace pruning. They apply if the model supports them and the
   * client uses the provider's format.
   */
  native: z.array(deferralMode).max(2),
});
const compression = z.strictObject({ mode: compressionMode, apply_without_tools: z.boolean() });

/** A fallback model: `<provider>/<model>`, or a bare name from the catalogue. */
const modelString = keepable(z.string().min(1).max(256));

/**
 * How the gateway chooses models, tools and compression for an account. It has no `object` field, so a client
 * can change a response and send it back.
 */
export const routingPreferences = z.strictObject({
  mode: routingMode,
  /** Null: all providers. */
  allowed_providers: z.array(z.string().min(1).max(64)).min(1).max(64).nullable(),
  /** Maximum price of an automatically chosen model, in USD per million tokens. Null: no limit. */
  max_cost_usd_per_mtok: z.number().min(0).max(1_000_000).nullable(),
  /** An account service of the previous release does not send `native`. */
  pruning: pruning.extend({ native: z.array(deferralMode).max(2).default([]) }),
  compression,
  /** In the order of use. */
  fallbacks: z.array(modelString).max(16),
  on_budget_exhausted: onBudgetExhausted,
});
export type RoutingPreferences = z.infer<typeof routingPreferences>;

/** A partial update, also inside `pruning` and `compression`. Omitted fields keep their values. */
export const updatePreferencesBody = routingPreferences
  .extend({ pruning: pruning.partial(), compression: compression.partial() })
  .partial();
export type UpdatePreferencesBody = z.infer<typeof updatePreferencesBody>;
