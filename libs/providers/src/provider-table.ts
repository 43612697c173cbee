import { hostedConnection } from './connections/hosted.ts';
import { vertexConnection } from './connections/vertex.ts';
import { openAiCompatibleTable } from './openai-compatible-table.ts';
import type { Provider } from './provider.ts';
import { hostedBaseUrl } from './sigv4/hosted-credential.ts';

/** Every provider: those of OpenAI's format, those that speak one of their own, and those that have no chat. */
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
    quirks: {},
  },
  // Its address is its region's and project's, which the connection names.
  {
    name: 'vertex',
    displayName: 'Google Vertex AI',
    baseUrl: null,
    docsUrl: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
    // Of every region: https://github.com/googleapis/googleapis/blob/master/google/cloud/aiplatform/v1/prediction_service.proto
    auth: { kind: 'google', audience: 'https://aiplatform.googleapis.com/' },
    chatPaths: { gemini: '/publishers/google/models/{model}:generateContent' },
    streamPaths: { gemini: '/publishers/google/models/{model}:streamGenerateContent?alt=sse' },
    connection: vertexConnection,
    quirks: {},
  },
  {
    name: 'cohere',
    displayName: 'Cohere',
    baseUrl: 'https://api.cohere.com/v2',
    docsUrl: 'https://docs.cohere.com/reference/chat',
    auth: { kind: 'bearer' },
    chatPaths: { cohere: '/chat' },
    quirks: {},
  },
  // The two below have no chat: they embed and rerank.
  {
    name: 'jina',
    displayName: 'Jina AI',
    baseUrl: 'https://api.jina.ai/v1',
    docsUrl: 'https://jina.ai/embeddings',
    auth: { kind: 'bearer' },
    chatPaths: {},
    quirks: {},
  },
  {
    name: 'voyage',
    displayName: 'Voyage AI',
    baseUrl: 'https://api.voyageai.com/v1',
    docsUrl: 'https://docs.voyageai.com/reference',
    auth: { kind: 'bearer' },
    chatPaths: {},
    quirks: {},
  },
  // Its address is its region's, which the credential names.
  {
    name: 'hosted',
    displayName: 'Amazon Bedrock',
    baseUrl: hostedBaseUrl('us-east-1'),
    docsUrl: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
    auth: { kind: 'aws', service: 'bedrock' },
    chatPaths: { converse: '/model/{model}/converse' },
    streamPaths: { converse: '/model/{model}/converse-stream' },
    connection: hostedConnection,
    quirks: {},
  },
];

const byName = new Map(providerTable.map((provider) => [provider.name, provider]));

/** Names of all providers, in the table's order. */
export const providerNames: readonly string[] = [...byName.keys()];

/** The provider of that (exact, lower-case) name. */
export function findProvider(name: string): Provider | undefined {
  return byName.get(name);
}
