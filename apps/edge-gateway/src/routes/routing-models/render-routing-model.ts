import type { RoutingModel, RoutingModelStatus } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';

/** What the catalogue knows of a model. */
export function renderRoutingModel(model: CatalogModel): RoutingModel {
  const { provider, modelId, capabilities, prices } = model;
  return {
    id: `${provider}/${modelId}`,
    object: 'routing.model',
    provider,
    model_id: modelId,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    capabilities: {
      tools: capabilities.tools,
      images: capabilities.images,
      documents: capabilities.documents,
      json_mode: capabilities.jsonMode,
      streaming: capabilities.streaming,
      thinking: capabilities.thinking,
    },
    input_cost_usd_per_mtok: prices?.input ?? null,
    output_cost_usd_per_mtok: prices?.output ?? null,
    cache_read_cost_usd_per_mtok: prices?.cacheRead ?? null,
    cache_write_cost_usd_per_mtok: prices?.cacheWrite ?? null,
  };
}

/** The same with its state. Null is what no telemetry measures: at present, all that is observed of models. */
export function renderModelStatus(model: CatalogModel, isEnabled: boolean): RoutingModelStatus {
  return {
    ...renderRoutingModel(model),
    is_enabled: isEnabled,
    first_token_p50_ms: null,
    first_token_p95_ms: null,
    total_p50_ms: null,
    total_p95_ms: null,
    error_rate: null,
    requests: null,
    tool_recall: null,
  };
}
