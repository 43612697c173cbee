import type { ModelObservation, RoutingInsights } from '@gateway/contracts';

/** Fewer tell chance rather than the model. */
export const samplesMin = 20;
const modelsMax = 5;

/** An account's best models by what their requests showed. Those with too few samples are ranked by use alone. */
export function chooseInsights(
  observations: readonly ModelObservation[],
): Pick<RoutingInsights, 'samples_min' | 'best_recall' | 'fastest' | 'most_used'> {
  const all = observations.reduce((sum, { requests }) => sum + requests, 0);
  return {
    samples_min: samplesMin,
    best_recall: observations
      .filter(({ judged }) => judged >= samplesMin)
      .map((each) => ({ ...named(each), tool_recall: each.recalled / each.judged, samples: each.judged }))
      .sort((one, other) => other.tool_recall - one.tool_recall || other.samples - one.samples)
      .slice(0, modelsMax),
    fastest: observations
      .flatMap((each) =>
        each.first_token_p50_ms === null || each.streamed < samplesMin
          ? []
          : [{ ...named(each), first_token_p50_ms: each.first_token_p50_ms, samples: each.streamed }],
      )
      .sort((one, other) => one.first_token_p50_ms - other.first_token_p50_ms)
      .slice(0, modelsMax),
    most_used: observations
      .map((each) => ({ ...named(each), requests: each.requests, share: each.requests / all }))
      .sort((one, other) => other.requests - one.requests)
      .slice(0, modelsMax),
  };
}

function named({ provider, model }: ModelObservation) {
  return { provider, model_id: model };
}
