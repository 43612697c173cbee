import { hostedConnection, vertexConnection } from './connections/cloud-connections.ts';
import { hostedBaseUrl } from './credentials/hosted-credential.ts';
import { openAiCompatibleTable } from './openai-compatible-table.ts';
import type { Provider } from './provider/provider.ts';
import {
  cohereEmbedding,
  jinaEmbedding,
  vertexEmbedding,
  voyageEmbedding,
} from './proxies/embedding-shapes.ts';
import { vertexImage } from './proxies/image-shapes.ts';
import { hostedRouteOf, rerankRoute } from './proxies/proxy-routes.ts';
import { voyageRerank } from './proxies/rerank-shapes.ts';
import { geminiVideos, veoVideo, vertexVideos } from './proxies/video-shapes.ts';

/**
 * All providers, including OpenAI-compatible providers, providers with a separate format, and providers
 * without chat models.
 */
const providerTable: readonly Provider[] = [
  ...openAiCompatibleTable,
  {
    name: 'anthropic',
    displayName: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    docsUrl: 'https://platform.claude.com/docs/en/api/messages',
    auth: { kind: 'header', name: 'x-api-key' },
    chatPaths: { messages: '/messages' },
    apiVersion: { header: 'anthropic-version', fallback: '2023-06-01' },
    proxyRoutes: {},
    quirks: {},
  },
  {
    name: 'google',
    displayName: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    docsUrl: 'https://ai.google.dev/api/generate-content',
    auth: { kind: 'header', name: 'x-goog-api-key' },
    chatPaths: { gemini: '/models/{model}:generateContent' },
    streamPaths: { gemini: '/models/{model}:streamGenerateContent?alt=sse' },
    // Google rejects an invalid API key with the status 400 (API_KEY_INVALID).
    credentialCheck: { path: '/models?pageSize=1', refusedStatuses: [400, 401, 403] },
    // https://ai.google.dev/gemini-api/docs/openai is the source for all endpoints except videos.
    proxyRoutes: {
      embeddings: { path: '/openai/embeddings', auth: { kind: 'bearer' } },
      'images/generations': { path: '/openai/images/generations', auth: { kind: 'bearer' } },
      'videos/generations': {
        path: '/models/{model}:predictLongRunning',
        shape: veoVideo,
        videos: geminiVideos,
      },
    },
    quirks: {},
  },
  // The address of Vertex AI contains the region and the project, which are part of the connection.
  {
    name: 'vertex',
    displayName: 'Google Vertex AI',
    baseUrl: null,
    docsUrl: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
    // The token audience is the same in every region.
    // See https://github.com/googleapis/googleapis/blob/master/google/cloud/aiplatform/v1/prediction_service.proto
    auth: { kind: 'google', audience: 'https://aiplatform.googleapis.com/' },
    chatPaths: { gemini: '/publishers/google/models/{model}:generateContent' },
    streamPaths: { gemini: '/publishers/google/models/{model}:streamGenerateContent?alt=sse' },
    connection: vertexConnection,
    // See https://cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-getinfo
    credentialCheck: { path: '/cachedContents?pageSize=1' },
    // See https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference
    proxyRoutes: {
      embeddings: { path: '/publishers/google/models/{model}:predict', shape: vertexEmbedding },
      'images/generations': { path: '/publishers/google/models/{model}:predict', shape: vertexImage },
      ocr: { path: '/publishers/mistralai/models/{model}:rawPredict' },
      'videos/generations': {
        path: '/publishers/google/models/{model}:predictLongRunning',
        shape: veoVideo,
        videos: vertexVideos,
      },
    },
    quirks: {},
  },
  {
    name: 'cohere',
    displayName: 'Cohere',
    baseUrl: 'https://api.cohere.com/v2',
    docsUrl: 'https://docs.cohere.com/reference/chat',
    auth: { kind: 'bearer' },
    chatPaths: { cohere: '/chat' },
    // Cohere lists models only in version 1 of its API. See https://docs.cohere.com/reference/list-models
    credentialCheck: { path: '/../v1/models?page_size=1' },
    proxyRoutes: {
      embeddings: { path: '/embed', shape: cohereEmbedding },
      rerank: rerankRoute,
      'audio/transcriptions': { path: '/audio/transcriptions' },
    },
    quirks: {},
  },
  // Jina and Voyage have no chat models. Jina and Voyage offer only embeddings and rerank.
  {
    name: 'jina',
    displayName: 'Jina AI',
    baseUrl: 'https://api.jina.ai/v1',
    docsUrl: 'https://jina.ai/embeddings',
    auth: { kind: 'bearer' },
    chatPaths: {},
    // See https://jina.ai/embeddings and https://jina.ai/reranker
    proxyRoutes: { embeddings: { path: '/embeddings', shape: jinaEmbedding }, rerank: rerankRoute },
    quirks: {},
  },
  {
    name: 'voyage',
    displayName: 'Voyage AI',
    baseUrl: 'https://api.voyageai.com/v1',
    docsUrl: 'https://docs.voyageai.com/reference',
    auth: { kind: 'bearer' },
    chatPaths: {},
    proxyRoutes: {
      embeddings: { path: '/embeddings', shape: voyageEmbedding },
      rerank: { ...rerankRoute, shape: voyageRerank },
    },
    quirks: {},
  },
  // The address of Amazon Bedrock contains the region, which is part of the credential.
  {
    name: 'hosted',
    displayName: 'Amazon Bedrock',
    baseUrl: hostedBaseUrl('us-east-1'),
    docsUrl: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
    auth: { kind: 'aws', service: 'bedrock' },
    chatPaths: { converse: '/model/{model}/converse' },
    streamPaths: { converse: '/model/{model}/converse-stream' },
    connection: hostedConnection,
    // See https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ListAsyncInvokes.html
    credentialCheck: { path: '/async-invoke?maxResults=1' },
    proxyRoutes: hostedRouteOf,
    quirks: {},
  },
];

const byName = new Map(providerTable.map((provider) => [provider.name, provider]));

/** All provider names, in table order. */
export const providerNames: readonly string[] = [...byName.keys()];

/** Finds a provider by its exact, lowercase name. */
export function findProvider(name: string): Provider | undefined {
  return byName.get(name);
}
