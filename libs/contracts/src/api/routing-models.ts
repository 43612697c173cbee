import { z } from 'zod';
import { count, keepable, timestamp } from '../base/common.ts';
import { listOf } from '../base/list.ts';

/** A limit of a model. Null if no source specifies the limit. */
const known = z.boolean().nullable();
/** A price in USD per million tokens. Null if the provider does not publish the price. */
const price = z.number().nonnegative().nullable();

/** A chat model in the catalogue that a connected provider offers. */
export const routingModel = z.object({
  /** The value to send as `model` in requests, in the form `<provider>/<model_id>`. */
  id: z.string(),
  object: z.literal('routing.model'),
  provider: z.string(),
  model_id: z.string(),
  /** Maximum number of input and output tokens together. */
  context_window: count.nullable(),
  max_output_tokens: count.nullable(),
  capabilities: z.object({
    tools: known,
    images: known,
    documents: known,
    json_mode: known,
    streaming: known,
    thinking: known,
  }),
  input_cost_usd_per_mtok: price,
  output_cost_usd_per_mtok: price,
  cache_read_cost_usd_per_mtok: price,
  cache_write_cost_usd_per_mtok: price,
});
export type RoutingModel = z.infer<typeof routingModel>;

/** A model that is excluded from automatic routing, with the first router rule that excludes it. */
const excludedModel = z.object({
  id: z.string().meta({ description: 'The model as `<provider>/<model_id>`.', examples: ['openai/gpt-4o'] }),
  excluded_by: z.string().meta({
    description: 'The rule that excludes the model, as in the error `no_candidate_model`.',
    examples: ['above_max_cost'],
  }),
  reason: z.string().meta({
    description: 'The explanation of the rule.',
    examples: ['above max_cost_usd_per_mtok'],
  }),
});
export type ExcludedModel = z.infer<typeof excludedModel>;

export const routingModelList = listOf(routingModel).extend({
  excluded: z.array(excludedModel).meta({
    description:
      'The excluded chat models of the connected providers, each with the rule that excludes the model.',
  }),
});

const ms = z.number().nonnegative().nullable();
const share = z.number().min(0).max(1).nullable();

/**
 * A model with its automatic routing setting and its statistics for the last 7 days. A figure that was not
 * measured is null.
 */
export const routingModelStatus = routingModel.extend({
  is_enabled: z.boolean(),
  excluded_by: z
    .string()
    .nullable()
    .meta({
      description:
        'The rule that excludes the model from automatic routing for every request. Null if the router may choose the model.',
      examples: [null],
    }),
  first_token_p50_ms: ms,
  first_token_p95_ms: ms,
  total_p50_ms: ms,
  total_p95_ms: ms,
  error_rate: share,
  requests: count.nullable(),
  tool_recall: share,
});
export type RoutingModelStatus = z.infer<typeof routingModelStatus>;
export const routingModelStatusList = listOf(routingModelStatus);

export const modelToggleBody = z.strictObject({
  provider: z.string().min(1).max(64),
  model_id: z.string().min(1).max(256),
  is_enabled: z.boolean(),
});
export type ModelToggleBody = z.infer<typeof modelToggleBody>;

/** The response to a request that includes or excludes a model, with the new state of the model. */
export const modelToggle = modelToggleBody.extend({ object: z.literal('routing.model_toggle') });
export type ModelToggle = z.infer<typeof modelToggle>;

const declaredPrice = z.number().nonnegative().max(1_000_000).nullable();
const declaredCount = z.int().min(1).max(100_000_000).nullable();
const modelName = keepable(z.string().trim().min(1).max(256));

/** Maximum number of models that an account can declare. */
export const declaredModelsMax = 1_000;

/**
 * The body of a request that declares a model. For a property that is null or absent, the gateway uses the
 * value from the catalogue or from the provider's list.
 */
export const declaredModelBody = z.strictObject({
  aliases: z
    .array(modelName)
    .max(16)
    .default([])
    .meta({
      description: 'Other names under which requests can name the model.',
      examples: [['house-model']],
    }),
  context_window: declaredCount.default(null).meta({
    description: 'Maximum number of input and output tokens together. Null means unknown.',
    examples: [131_072],
  }),
  max_output_tokens: declaredCount.default(null).meta({
    description: 'Maximum number of output tokens. Null means unknown.',
    examples: [8_192],
  }),
  capabilities: z
    .strictObject({
      tools: known.default(null).meta({ description: 'Whether the model calls tools.', examples: [true] }),
      images: known.default(null).meta({ description: 'Whether the model reads images.', examples: [false] }),
      documents: known
        .default(null)
        .meta({ description: 'Whether the model reads documents.', examples: [false] }),
      json_mode: known
        .default(null)
        .meta({ description: 'Whether the model has a JSON mode.', examples: [true] }),
      streaming: known
        .default(null)
        .meta({ description: 'Whether the provider streams the responses.', examples: [true] }),
      thinking: known.default(null).meta({ description: 'Whether the model reasons.', examples: [false] }),
    })
    .prefault({})
    .meta({ description: 'The capabilities of the model. Null means unknown.' }),
  input_cost_usd_per_mtok: declaredPrice.default(null).meta({
    description: 'Price of input in USD per million tokens. Declare both input and output prices.',
    examples: [0.2],
  }),
  output_cost_usd_per_mtok: declaredPrice.default(null).meta({
    description: 'Price of output in USD per million tokens. Declare both input and output prices.',
    examples: [0.6],
  }),
  cache_read_cost_usd_per_mtok: declaredPrice.default(null).meta({
    description: 'Price of cached input in USD per million tokens. If null, the input price applies.',
    examples: [null],
  }),
  cache_write_cost_usd_per_mtok: declaredPrice.default(null).meta({
    description:
      'Price of writing input to the cache, in USD per million tokens. If null, the input price applies.',
    examples: [null],
  }),
});
export type DeclaredModelBody = z.infer<typeof declaredModelBody>;

/** A model that an account declares for one of its providers. */
export const declaredModel = z.object({
  id: z.string().meta({
    description: 'The value for `model` in requests, which is `<provider>/<model_id>`.',
    examples: ['vllm/house-model-8b'],
  }),
  object: z
    .literal('account.model')
    .meta({ description: 'The type of the object.', examples: ['account.model'] }),
  provider: z.string().meta({ description: 'The provider that serves the model.', examples: ['vllm'] }),
  model_id: z
    .string()
    .meta({ description: 'The id of the model, as the provider spells it.', examples: ['house-model-8b'] }),
  ...declaredModelBody.shape,
  created_at: timestamp.meta({
    description: 'Time of the declaration.',
    examples: ['2026-11-23T12:00:00.000Z'],
  }),
  updated_at: timestamp.meta({
    description: 'Time of the last change.',
    examples: ['2026-11-23T12:00:00.000Z'],
  }),
});
export type DeclaredModel = z.infer<typeof declaredModel>;
export const declaredModelList = listOf(declaredModel);

export const deletedDeclaredModel = z.object({
  id: z
    .string()
    .meta({ description: 'The model as `<provider>/<model_id>`.', examples: ['vllm/house-model-8b'] }),
  object: z
    .literal('account.model.deleted')
    .meta({ description: 'The type of the object.', examples: ['account.model.deleted'] }),
  deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
});
