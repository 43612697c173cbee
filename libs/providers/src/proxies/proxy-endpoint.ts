/** The endpoints that pass a request on without planning, by their path under `/v1/`. */
export const proxyEndpoints = [
  'completions',
  'embeddings',
  'responses',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/transcriptions',
  'audio/speech',
  'moderations',
  'rerank',
  'ocr',
  'videos/generations',
] as const;
export type ProxyEndpoint = (typeof proxyEndpoints)[number];
