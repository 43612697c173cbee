import { z } from 'zod';
import { keepable } from '../base/common.ts';

export const routingMode = z.enum(['auto', 'cheap', 'fast', 'capable']);
export type RoutingMode = z.infer<typeof routingMode>;
export const pruningMode = z.enum(['on', 'shadow', 'off']);
export const compressionMode = z.enum(['off', 'lossless', 'balanced']);
export const recallTarget = z.number().min(0.5).max(0.9999);
/**
 * Deferral modes (see “deferral” in the glossary). `deferred_loading` means that the provider keeps tool
 * definitions out of the prompt until the model searches for these tools. `allowed_tools` means that all tool
 * definitions stay in the prompt, and the request restricts the tools that the model may call. The mode
 * `allowed_tools` saves no tokens, but leaves the cached prefix unchanged.
 */
export const deferralMode = z.enum(['deferred_loading', 'allowed_tools']);
/**
 * The action to take after the budget is used up. The action `pass` sends the request unoptimized. The action
 * `reject` rejects the request with status 402.
 */
export const onBudgetExhausted = z.enum(['pass', 'reject']);

const pruning = z.strictObject({
  mode: pruningMode,
  recall_target: recallTarget,
  recovery: z.boolean(),
  /**
   * The provider's deferral features that the gateway may use instead of pruning. A deferral feature applies
   * if the model supports the feature and the client uses the provider's format.
   */
  native: z.array(deferralMode).max(2),
  learning: z.boolean().meta({
    description:
      'Whether the gateway learns from the account’s own conversations which tools the account needs. The gateway uses the learned ranking only if fewer tools then reach the recall target. If false, the gateway learns nothing, and ranks tools in new conversations without learning.',
    examples: [false],
  }),
});
const compression = z.strictObject({ mode: compressionMode, apply_without_tools: z.boolean() });

const caching = z.strictObject({
  markers: z.boolean().meta({
    description:
      'Whether translated requests get cache markers, and a `prompt_cache_key` for OpenAI, if the expected savings exceed the cost. Requests in the provider’s own format are never changed.',
    examples: [true],
  }),
});

const responses = z.strictObject({
  plan: z.boolean().meta({
    description:
      'Whether requests to `/v1/responses` are planned like requests in the other chat formats. Planning prunes tools, and compresses tool definitions and the conversation. A request to a provider of the Responses API is planned only with `store: false`. A request that continues a stored response is never planned. If false, requests are not planned. Unplanned requests are forwarded unchanged, apart from the provider prefix of the model and tool lists, or are translated for a provider without the Responses API.',
    examples: [false],
  }),
});

/** A fallback model, given as `<provider>/<model>` or as a model name from the catalogue without a provider. */
const modelString = keepable(z.string().min(1).max(256));

const providerOrder = z
  .array(z.string().min(1).max(64))
  .max(64)
  .meta({
    description:
      'The order of providers for model names without a provider, if several connected providers have the model. The maker of the model ranks before providers that are not in the list.',
    examples: [['azure', 'openai']],
  });

/**
 * An account's rules for the choice of models, tools and compression. The rules have no
 * `object` field, so a client can edit the rules in a response and send the edited rules back.
 */
export const routingPreferences = z.strictObject({
  mode: routingMode,
  /** The allowed providers. Null allows all providers. */
  allowed_providers: z.array(z.string().min(1).max(64)).min(1).max(64).nullable(),
  /**
   * The order of providers for model names without a provider, if several connected providers have the model.
   * The provider that made the model has priority over providers that are not in the list. Account services
   * from the previous release do not send `provider_order`.
   */
  provider_order: providerOrder.default([]),
  /** Maximum price for automatically chosen models, in USD per million tokens. Null means no limit. */
  max_cost_usd_per_mtok: z.number().min(0).max(1_000_000).nullable(),
  /** Account services from the previous release send neither `native` nor `learning`, so both have default values. */
  pruning: pruning.extend({
    native: z.array(deferralMode).max(2).default([]),
    learning: z.boolean().default(false),
  }),
  compression,
  /** The default value applies to messages from account services of the previous release. */
  caching: caching.default({ markers: true }),
  /** The default value applies to messages from account services of the previous release. */
  responses: responses.default({ plan: false }),
  /** Fallback models, in the order in which the gateway tries the models. */
  fallbacks: z.array(modelString).max(16),
  on_budget_exhausted: onBudgetExhausted,
});
export type RoutingPreferences = z.infer<typeof routingPreferences>;

/**
 * A partial update of the routing preferences, including `pruning`, `compression`, `caching` and `responses`.
 * Omitted fields keep their current values.
 */
export const updatePreferencesBody = routingPreferences
  .extend({
    pruning: pruning.partial(),
    compression: compression.partial(),
    caching: caching.partial(),
    responses: responses.partial(),
    provider_order: providerOrder,
  })
  .partial();
export type UpdatePreferencesBody = z.infer<typeof updatePreferencesBody>;

/** A tool's score and rank without learning. The best tools also have the parts of the score with learning. */
export const learnedScore = z.object({
  score_without: z.number(),
  rank_without: z.int().positive(),
  /**
   * The contributions to the score with learning, in log-odds compared with the mean of all tools. Null for tools that
   * do not rank among the best 20.
   */
  shares: z
    .object({
      log_probability: z.number(),
      rank: z
        .number()
        .meta({ description: 'The contribution of the rank without learning.', examples: [0.9] }),
      usage: z.number().meta({
        description: 'The contribution of the tool’s use in the account’s conversations.',
        examples: [2.1],
      }),
      together: z.number(),
      transition: z.number(),
    })
    .nullable(),
});
