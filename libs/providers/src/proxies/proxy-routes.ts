import type { ProxyEndpoint, ProxyRoute, ProxyRoutes, ProxyShape } from '../provider/proxy-route.ts';
import { hostedCohereEmbedding, titanEmbedding } from './embedding-shapes.ts';
import { amazonImage, stabilityImage } from './image-shapes.ts';
import { hostedRerank } from './rerank-shapes.ts';

/**
 * OpenAI's endpoints under their original paths. Most OpenAI-compatible providers have OpenAI's endpoints.
 */
export const openAiRoutes: ProxyRoutes = {
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

export const rerankRoute: ProxyRoute = { path: '/rerank' };

/**
 * Amazon Bedrock serves all models at one endpoint. The body has the shape that the model's vendor
 * defines.
 */
const families: readonly (readonly [endpoint: ProxyEndpoint, model: RegExp, shape: ProxyShape])[] = [
  ['embeddings', /(^|\.)amazon\.titan-embed-/, titanEmbedding],
  ['embeddings', /(^|\.)cohere\.embed-/, hostedCohereEmbedding],
  ['rerank', /(^|\.)(cohere|amazon)\.rerank-/, hostedRerank],
  ['images/generations', /(^|\.)amazon\.(titan-image-generator|nova-canvas)-/, amazonImage],
  ['images/generations', /(^|\.)stability\./, stabilityImage],
];

/**
 * Matches models that do not support the Responses API. For models without the Responses API, the gateway
 * translates requests to the converse format.
 */
const converseFamilies = /(^|\.)(?:anthropic|amazon)\./;

/**
 * Returns the route of an endpoint for a model. The Responses API has the OpenAI-compatible path. Other
 * endpoints have InvokeModel's path. An ARN contains no model name, so an ARN works only with the Responses
 * API. See https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 */
export function hostedRouteOf(endpoint: ProxyEndpoint, model: string): ProxyRoute | undefined {
  if (endpoint === 'responses')
    return converseFamilies.test(model) ? undefined : { path: '/openai/v1/responses', isSigned: true };
  const found = families.find(([of, name]) => of === endpoint && name.test(model));
  return found === undefined ? undefined : { path: '/model/{model}/invoke', isSigned: true, shape: found[2] };
}

/** Changes to `openAiRoutes`. A route is added, or replaces the existing route. Null removes a route. */
export type RouteDifferences = Readonly<Partial<Record<ProxyEndpoint, ProxyRoute | null>>>;

/** Builds the routes for a provider with endpoints that differ from OpenAI's. */
export function changeOpenAiRoutes(differences: RouteDifferences): ProxyRoutes {
  const routes = Object.entries({ ...openAiRoutes, ...differences });
  return Object.fromEntries(routes.filter(([, route]) => route !== null));
}
