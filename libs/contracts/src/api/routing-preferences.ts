import { z } from 'zod';
import { keepable } from '../base/common.ts';

export const routingMode = z.enum(['auto', 'cheap', 'fast', 'capable']);
export type RoutingMode = z.infer<typeof routingMode>;
export const pruningMode = z.enum(['on', 'shadow', 'off']);
export const compressionMode = z.enum(['off', 'lossless', 'balanced']);
export const recallTarget = z.number().min(0.5).max(0.9999);
/**
 * `deferred_loading`: the provider keeps definitions out of the prompt until the model searches for them. `allowed_tools`: all
 * are in the prompt, and the request says which may be called, which saves no tokens and rewrites no cache.
 */
export const deferralMode = z.enum(['deferred_loading', 'allowed_tools']);
/** `pass`: the request goes out unoptimized. `reject`: it is answered 402. */
export const onBudgetExhausted = z.enum(['pass', 'reject']);

const pruning = z.strictObject({
  mode: pruningMode,
  recall_target: recallTarget,
  recovery: z.boolean(),
  /** Providers' own ways that take the place of leaving tools out, where the model has them and the client speaks its format. */
  native: z.array(deferralMode).max(2),
});
const compression = z.strictObject({ mode: compressionMode, apply_without_tools: z.boolean() });

/** A model that may stand in: `<provider>/<model>`, or a bare name of the catalogue. */
const modelString = keepable(z.string().min(1).max(256));

/**
 * How models, tools and schemas are chosen for an account. It has no `object`, so that what was read can be changed and
 * put back as it is.
 */
export const routingPreferences = z.strictObject({
  mode: routingMode,
  /** Null is all of them. */
  allowed_providers: z.array(z.string().min(1).max(64)).min(1).max(64).nullable(),
  /** The dearest a model may be that is chosen automatically, in USD per million tokens. Null is no bound. */
  max_cost_usd_per_mtok: z.number().min(0).max(1_000_000).nullable(),
  /** An account service of the release before does not send `native` yet. */
  pruning: pruning.extend({ native: z.array(deferralMode).max(2).default([]) }),
  compression,
  /** Tried in this order. */
  fallbacks: z.array(modelString).max(16),
  on_budget_exhausted: onBudgetExhausted,
});
export type RoutingPreferences = z.infer<typeof routingPreferences>;

/** A partial update, of `pruning` and `compression` too: what is left out stays as it is. */
export const updatePreferencesBody = routingPreferences
  .extend({ pruning: pruning.partial(), compression: compression.partial() })
  .partial();
export type UpdatePreferencesBody = z.infer<typeof updatePreferencesBody>;
