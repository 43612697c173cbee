/** Why the model stopped. The provider's own word travels beside it as `rawReason`. */
export type FinishReason =
  'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal' | 'pause' | 'error' | 'other';
