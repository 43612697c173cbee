import { z } from 'zod';
import { count } from '../base/common.ts';
import { listOf } from '../base/list.ts';

/** A limit of a model. The value is null if no source states the limit. */
const known = z.boolean().nullable();
/** A price in USD per million tokens. The price is null if the provider does not publish the price. */
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
export const routingModelList = listOf(routingModel);

const ms = z.number().nonnegative().nullable();
const share = z.number().min(0).max(1).nullable();

/**
 * A model with its switch for automatic routing and its figures for the last 7 days. A figure is null if it
 * was not measured.
 */
export const routingModelStatus = routingModel.extend({
  is_enabled: z.boolean(),
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
