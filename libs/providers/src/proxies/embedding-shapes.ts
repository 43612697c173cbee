import { invalidField } from '@gateway/errors';
import type { JsonFields, ProxyShape } from '../provider/proxy-route.ts';
import { countOf, fieldsOf, listOf, present, renamed, without } from './shape-fields.ts';

/**
 * The input strings of an embeddings request. Token ids are rejected, because only OpenAI's models accept
 * token ids.
 */
function textsOf({ input }: JsonFields): readonly string[] {
  if (typeof input === 'string') return [input];
  const texts = listOf(input);
  if (texts.length > 0 && texts.every((text) => typeof text === 'string')) return texts;
  throw invalidField('input', 'a text, or a list of texts, for this provider');
}

interface Embedded {
  readonly vectors: readonly unknown[];
  /** Number of input tokens. Undefined if the provider reports no token count. */
  readonly tokens: number | undefined;
}

/** See https://platform.openai.com/docs/api-reference/embeddings/create */
function renderList({ vectors, tokens }: Embedded, request: JsonFields, model: string): JsonFields {
  const embed = request['encoding_format'] === 'base64' ? renderBase64 : (vector: unknown) => vector;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: embed(vector) })),
    model,
    ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

/** Little-endian 32-bit floats in base64, as OpenAI's clients expect if `encoding_format` is `base64`. */
function renderBase64(vector: unknown): string {
  const bytes = Buffer.alloc(listOf(vector).length * 4);
  listOf(vector).forEach((value, at) => bytes.writeFloatLE(Number(value), at * 4));
  return bytes.toString('base64');
}

const vectorsOfCohere = ({ embeddings }: JsonFields): readonly unknown[] =>
  Array.isArray(embeddings) ? listOf(embeddings) : listOf(fieldsOf(embeddings)['float']);

/** See https://docs.cohere.com/reference/embed */
export const cohereEmbedding: ProxyShape = (request, model) => {
  if (request['input'] === undefined) return null;
  return {
    body: present({
      model,
      texts: textsOf(request),
      input_type: request['input_type'] ?? 'search_document',
      embedding_types: ['float'],
      output_dimension: request['dimensions'],
      truncate: request['truncate'],
    }),
    mapAnswer: (answer) => {
      const billed = fieldsOf(fieldsOf(answer['meta'])['billed_units']);
      return renderList(
        { vectors: vectorsOfCohere(answer), tokens: countOf(billed['input_tokens']) },
        request,
        model,
      );
    },
  };
};

/**
 * Voyage's embeddings requests are the same as OpenAI's, except for `encoding_format` and `dimensions`.
 * See https://docs.voyageai.com/reference/embeddings-api
 */
export const voyageEmbedding: ProxyShape = (request, model) => {
  const isFloat = request['encoding_format'] === 'float';
  if (!isFloat && request['dimensions'] === undefined) return null;
  const kept = isFloat ? without(request, 'encoding_format') : request;
  return { body: { ...renamed(kept, { dimensions: 'output_dimension' }), model } };
};

/**
 * Jina's embeddings requests are the same as OpenAI's, except for `encoding_format`.
 * See https://jina.ai/embeddings
 */
export const jinaEmbedding: ProxyShape = (request, model) =>
  request['encoding_format'] === undefined
    ? null
    : { body: { ...renamed(request, { encoding_format: 'embedding_type' }), model } };

/** See https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
export const titanEmbedding: ProxyShape = (request, model) => {
  if (request['input'] === undefined) return { body: without(request, 'model') };
  const [text, ...others] = textsOf(request);
  if (others.length > 0)
    throw invalidField('input', 'one text, because this model embeds one text per request');
  return {
    body: present({ inputText: text, dimensions: request['dimensions'] }),
    mapAnswer: (answer) =>
      renderList(
        { vectors: [answer['embedding']], tokens: countOf(answer['inputTextTokenCount']) },
        request,
        model,
      ),
  };
};

/** See https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html */
export const hostedCohereEmbedding: ProxyShape = (request, model) => {
  const mapped = cohereEmbedding(request, model);
  if (mapped === null) return { body: without(request, 'model') };
  return {
    body: without(mapped.body, 'model'),
    mapAnswer: (answer, headers) =>
      renderList(
        {
          vectors: vectorsOfCohere(answer),
          tokens: countOf(headers['x-amzn-bedrock-input-token-count']),
        },
        request,
        model,
      ),
  };
};

/** See https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
export const vertexEmbedding: ProxyShape = (request, model) => {
  if (request['input'] === undefined) return { body: without(request, 'model') };
  const dimensions = request['dimensions'];
  return {
    body: {
      instances: textsOf(request).map((content) => ({ content })),
      ...(dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } }),
    },
    mapAnswer: (answer) => {
      const embedded = listOf(answer['predictions']).map((each) => fieldsOf(fieldsOf(each)['embeddings']));
      const counts = embedded.map(({ statistics }) => countOf(fieldsOf(statistics)['token_count']));
      const tokens = counts.reduce(
        (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
        0,
      );
      return renderList({ vectors: embedded.map(({ values }) => values), tokens }, request, model);
    },
  };
};
