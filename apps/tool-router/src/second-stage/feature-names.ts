/**
 * Names of a tool's features, in column order. A reranker that was trained with different features fails to
 * load.
 */
export const featureNames = [
  'keyword_share',
  'keyword_rank',
  'keyword_deviation',
  'last_turn_share',
  'segment_share',
  'segment_rank',
  'soft_share',
  'soft_rank',
  'soft_segment_share',
  'soft_name_share',
  'soft_name_covered',
  'name_covered',
  'name_phrase',
  'turn_covered',
  'cosine_deviation',
  'cosine_rank',
  'cosine_context',
  'cosine_segment',
  'cosine_segment_rank',
  'cosine_absolute',
  'affinity_cosine',
  'affinity_name',
  'affinity_parameters',
  'fused_rank',
  'centrality',
  'asks_user',
] as const;
export type FeatureName = (typeof featureNames)[number];

/** Names of the additional features from the second encoder's vectors, in column order after `featureNames`. */
export const secondFeatureNames = [
  'second_deviation',
  'second_rank',
  'second_context',
  'second_segment',
  'second_segment_rank',
  'second_absolute',
  'second_affinity',
  'second_centrality',
] as const;
export type SecondFeatureName = (typeof secondFeatureNames)[number];

/** Names of all features with both encoders, in column order. */
export const allFeatureNames = [...featureNames, ...secondFeatureNames] as const;
