import type { ModelObservation, RoutingModel, RoutingModelStatus } from '@gateway/contracts';
import { pricesAt, type CatalogModel } from '@gateway/model-catalog';

/**
 * Renders what the catalogue knows about a model.
 * @param at Unix time in milliseconds for which prices are shown
 */
export function renderRoutingModel(model: CatalogModel, at: number): RoutingModel {
  const { provider, modelId, capabilities } = model;
  const prices = model.prices && pricesAt(model.prices, at);
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

/** Observations of models, keyed by `<provider>/<model>`. Null while the request log is unavailable. */
export type Observations = ReadonlyMap<string, ModelObservation> | null;

/**
 * Renders a model's catalogue entry, its status (enabled or disabled), and its observations. Facts that are
 * unknown are null.
 */
export function renderModelStatus(
  model: CatalogModel,
  isEnabled: boolean,
  observations: Observations,
  at: number,
): Omit<RoutingModelStatus, 'excluded_by'> {
  const facts = renderRoutingModel(model, at);
  const seen = observations?.get(facts.id);
  return {
    ...facts,
    is_enabled: isEnabled,
    first_token_p50_ms: seen?.first_token_p50_ms ?? null,
    first_token_p95_ms: seen?.first_token_p95_ms ?? null,
    total_p50_ms: seen?.total_p50_ms ?? null,
    total_p95_ms: seen?.total_p95_ms ?? null,
    error_rate: seen === undefined ? null : share(seen.failed, seen.ended),
    requests: observations === null ? null : (seen?.requests ?? 0),
    tool_recall: seen === undefined ? null : share(seen.recalled, seen.judged),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
