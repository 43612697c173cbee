import { invalidField } from '@gateway/errors';
import type { JsonFields, ProxyShape } from '../provider/proxy-route.ts';
import { fieldsOf, isFields, listOf, present, without } from './shape-fields.ts';

/**
 * The documents of a rerank request as strings. The usual body shape, which is Cohere's, accepts strings and
 * objects with a `text` field.
 */
function textsOf({ documents }: JsonFields): readonly string[] {
  const texts = listOf(documents).map((document) => (isFields(document) ? document['text'] : document));
  if (texts.length > 0 && texts.every((text) => typeof text === 'string')) return texts;
  throw invalidField('documents', 'a list of texts, or of objects with a "text", for this provider');
}

/** Renames the response field `data`, which some providers use, to `results`. */
function renderResults(answer: JsonFields): JsonFields {
  if (Array.isArray(answer['results'])) return answer;
  return { ...without(answer, 'object', 'data'), results: listOf(answer['data']).map(renderResult) };
}

function renderResult(ranked: unknown): JsonFields {
  const { document, relevanceScore, ...rest } = fieldsOf(ranked);
  return {
    ...rest,
    ...(relevanceScore === undefined ? {} : { relevance_score: relevanceScore }),
    ...(document === undefined || document === null
      ? {}
      : { document: typeof document === 'string' ? { text: document } : document }),
  };
}

/** See https://docs.voyageai.com/reference/reranker-api */
export const voyageRerank: ProxyShape = (request, model) => {
  if (request['top_k'] !== undefined) return null;
  const body = { ...without(request, 'top_n'), model, documents: textsOf(request), top_k: request['top_n'] };
  return { body: present(body), mapAnswer: renderResults };
};

/** See https://docs.fireworks.ai/api-reference/rerank-documents */
export const fireworksRerank: ProxyShape = (request, model) => ({
  body: { ...request, model },
  mapAnswer: renderResults,
});

/**
 * Rerank models are called through InvokeModel
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/rerank-supported.html).
 */
export const hostedRerank: ProxyShape = (request, model) => ({
  body: present({
    query: request['query'],
    documents: textsOf(request),
    top_n: request['top_n'],
    // Cohere's models accept more than one API version.
    ...(model.includes('cohere.') ? { api_version: 2 } : {}),
  }),
  mapAnswer: (answer) => ({
    ...answer,
    results: listOf(answer['results']).map(renderResult),
  }),
});
