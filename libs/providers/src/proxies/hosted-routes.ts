import { hostedCohereEmbedding, titanEmbedding } from './embedding-shapes.ts';
import { amazonImage, stabilityImage } from './image-shapes.ts';
import type { ProxyRoute } from './proxy-route.ts';
import { hostedRerank } from './rerank-shapes.ts';
import type { ProxyEndpoint } from './proxy-endpoint.ts';
import type { ProxyShape } from './proxy-shape.ts';

/** The service has one endpoint for all models, and each maker's models have a shape of their own there. */
const families: readonly (readonly [endpoint: ProxyEndpoint, model: RegExp, shape: ProxyShape])[] = [
  ['embeddings', /(^|\.)amazon\.titan-embed-/, titanEmbedding],
  ['embeddings', /(^|\.)cohere\.embed-/, hostedCohereEmbedding],
  ['rerank', /(^|\.)(cohere|amazon)\.rerank-/, hostedRerank],
  ['images/generations', /(^|\.)amazon\.(titan-image-generator|nova-canvas)-/, amazonImage],
  ['images/generations', /(^|\.)stability\./, stabilityImage],
];

/**
 * Where the hosted model service takes requests of an endpoint for a model: its own address, or, for the Responses API, the
 * one that speaks OpenAI's. An ARN tells nothing of its model.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 */
export function hostedRouteOf(endpoint: ProxyEndpoint, model: string): ProxyRoute | undefined {
  if (endpoint === 'responses') return { path: '/openai/v1/responses', isSigned: true };
  const found = families.find(([of, name]) => of === endpoint && name.test(model));
  return found === undefined ? undefined : { path: '/model/{model}/invoke', isSigned: true, shape: found[2] };
}
