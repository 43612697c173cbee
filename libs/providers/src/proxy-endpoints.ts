import type { Provider } from './provider.ts';

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

/** A provider's own path for each endpoint that it has, under its base URL. */
export type ProxyPaths = Readonly<Partial<Record<ProxyEndpoint, string>>>;

/** Endpoints of OpenAI's own interface, at OpenAI's own paths. */
const openAiPaths: ProxyPaths = {
  completions: '/completions',
  embeddings: '/embeddings',
  responses: '/responses',
  'images/generations': '/images/generations',
  'images/edits': '/images/edits',
  'images/variations': '/images/variations',
  'audio/transcriptions': '/audio/transcriptions',
  'audio/speech': '/audio/speech',
  moderations: '/moderations',
};

/**
 * Where providers differ from OpenAI's paths, each by its own reference: what a row adds, and what (null) it lacks.
 * Bodies are the provider's own: nothing is translated between them.
 */
const differing: Readonly<Record<string, Readonly<Partial<Record<ProxyEndpoint, string | null>>>>> = {
  openai: { 'videos/generations': '/videos' },
  // https://docs.mistral.ai/api
  mistral: { completions: '/fim/completions', ocr: '/ocr', responses: null, 'images/edits': null },
  // https://docs.x.ai/docs/api-reference
  xai: { 'videos/generations': '/videos/generations' },
  // https://docs.together.ai/reference
  together: { rerank: '/rerank', 'videos/generations': '/videos' },
  // https://openrouter.ai/docs/api-reference
  openrouter: { rerank: '/rerank' },
  // https://docs.siliconflow.com/en/api-reference
  siliconflow: { rerank: '/rerank', 'videos/generations': '/video/submit' },
  // https://docs.novita.ai/api-reference
  novita: { rerank: '/rerank' },
  // https://docs.fireworks.ai/api-reference
  fireworks: { rerank: '/rerank' },
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
  vllm: { rerank: '/rerank' },
  // https://docs.cohere.com/reference
  cohere: {
    ...lacking(openAiPaths),
    embeddings: '/embed',
    rerank: '/rerank',
    'audio/transcriptions': '/audio/transcriptions',
  },
  anthropic: lacking(openAiPaths),
  google: lacking(openAiPaths),
  vertex: lacking(openAiPaths),
  hosted: lacking(openAiPaths),
  sandbox: { ...lacking(openAiPaths) },
};

function lacking(paths: ProxyPaths): Partial<Record<ProxyEndpoint, null>> {
  return Object.fromEntries(Object.keys(paths).map((endpoint) => [endpoint, null]));
}

/** Where a provider takes requests of an endpoint, under its base URL; undefined if it does not. */
export function proxyPathOf(provider: Provider, endpoint: ProxyEndpoint): string | undefined {
  const own = differing[provider.name]?.[endpoint];
  return own === undefined ? openAiPaths[endpoint] : (own ?? undefined);
}
