import type { AuthScheme, Provider } from '../provider.ts';
import { cohereEmbedding, jinaEmbedding, vertexEmbedding, voyageEmbedding } from './embedding-shapes.ts';
import { hostedRouteOf } from './hosted-routes.ts';
import { vertexImage } from './image-shapes.ts';
import type { ProxyEndpoint } from './proxy-endpoint.ts';
import type { ProxyRoute } from './proxy-route.ts';
import { fireworksRerank, voyageRerank } from './rerank-shapes.ts';
import { siliconflowVideo, togetherVideo, veoVideo, xaiVideo } from './video-shapes.ts';

type Routes = Readonly<Partial<Record<ProxyEndpoint, ProxyRoute>>>;

/** Endpoints of OpenAI's own interface, at OpenAI's own paths. */
const openAiRoutes: Routes = {
  completions: { path: '/completions' },
  embeddings: { path: '/embeddings' },
  responses: { path: '/responses' },
  'images/generations': { path: '/images/generations' },
  'images/edits': { path: '/images/edits' },
  'images/variations': { path: '/images/variations' },
  'audio/transcriptions': { path: '/audio/transcriptions' },
  'audio/speech': { path: '/audio/speech' },
  moderations: { path: '/moderations' },
};

const bearer: AuthScheme = { kind: 'bearer' };
const rerank: ProxyRoute = { path: '/rerank' };

/** Providers that have OpenAI's endpoints: what a row adds, and what (null) it lacks. Each by the provider's own reference. */
const besideOpenAi: Readonly<Record<string, Readonly<Partial<Record<ProxyEndpoint, ProxyRoute | null>>>>> = {
  openai: { 'videos/generations': { path: '/videos' } },
  // https://docs.mistral.ai/api
  mistral: {
    completions: { path: '/fim/completions' },
    ocr: { path: '/ocr' },
    responses: null,
    'images/edits': null,
  },
  // https://docs.x.ai/docs/api-reference
  xai: { 'videos/generations': { path: '/videos/generations', shape: xaiVideo } },
  // https://docs.together.ai/reference; videos are of the API's second version.
  together: { rerank, 'videos/generations': { path: '/../v2/videos', shape: togetherVideo } },
  // https://openrouter.ai/docs/api-reference
  openrouter: { rerank },
  // https://docs.siliconflow.com/en/api-reference
  siliconflow: { rerank, 'videos/generations': { path: '/video/submit', shape: siliconflowVideo } },
  // https://docs.novita.ai/api-reference
  novita: { rerank },
  // https://docs.fireworks.ai/api-reference
  fireworks: { rerank: { ...rerank, shape: fireworksRerank } },
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
  vllm: { rerank },
};

/** Providers with endpoints of their own: all that they have. */
const own: Readonly<Record<string, Routes>> = {
  // https://docs.cohere.com/reference
  cohere: {
    embeddings: { path: '/embed', shape: cohereEmbedding },
    rerank,
    'audio/transcriptions': { path: '/audio/transcriptions' },
  },
  // https://jina.ai/embeddings, https://jina.ai/reranker
  jina: { embeddings: { path: '/embeddings', shape: jinaEmbedding }, rerank },
  // https://docs.voyageai.com/reference
  voyage: {
    embeddings: { path: '/embeddings', shape: voyageEmbedding },
    rerank: { ...rerank, shape: voyageRerank },
  },
  // https://ai.google.dev/gemini-api/docs/openai, but for videos
  google: {
    embeddings: { path: '/openai/embeddings', auth: bearer },
    'images/generations': { path: '/openai/images/generations', auth: bearer },
    'videos/generations': { path: '/models/{model}:predictLongRunning', shape: veoVideo },
  },
  // https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference
  vertex: {
    embeddings: { path: '/publishers/google/models/{model}:predict', shape: vertexEmbedding },
    'images/generations': { path: '/publishers/google/models/{model}:predict', shape: vertexImage },
    ocr: { path: '/publishers/mistralai/models/{model}:rawPredict' },
    'videos/generations': {
      path: '/publishers/google/models/{model}:predictLongRunning',
      shape: veoVideo,
    },
  },
  anthropic: {},
  sandbox: {},
};

/** Where a provider takes requests of an endpoint, for a model in its own spelling; undefined if it does not. */
export function proxyRouteOf(
  { name }: Pick<Provider, 'name'>,
  endpoint: ProxyEndpoint,
  model: string,
): ProxyRoute | undefined {
  if (name === 'hosted') return hostedRouteOf(endpoint, model);
  const alone = own[name];
  if (alone !== undefined) return alone[endpoint];
  const differing = besideOpenAi[name]?.[endpoint];
  return differing === undefined ? openAiRoutes[endpoint] : (differing ?? undefined);
}
