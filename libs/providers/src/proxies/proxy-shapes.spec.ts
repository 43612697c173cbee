import { findProvider } from '../provider-table.ts';
import { proxyEndpoints, type ProxyEndpoint } from './proxy-endpoint.ts';
import { proxyRouteOf } from './proxy-routes.ts';
import type { JsonFields } from './proxy-shape.ts';

const routeOf = (name: string, endpoint: ProxyEndpoint, model = 'a-model') =>
  proxyRouteOf(findProvider(name)!, endpoint, model);

/** What a provider gets of a request, and what becomes of its answer. */
function map(name: string, endpoint: ProxyEndpoint, model: string, asked: JsonFields) {
  const mapped = routeOf(name, endpoint, model)?.shape?.({ model: `${name}/${model}`, ...asked }, model);
  if (mapped == null) return null;
  const { body, mapAnswer = (answer: JsonFields) => answer } = mapped;
  return { body, answer: (told: JsonFields, headers = {}) => mapAnswer(told, headers) };
}

const vector = [0.5, -0.25];
const listed = (usage?: number) => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: vector }],
  ...(usage === undefined ? {} : { usage: { prompt_tokens: usage, total_tokens: usage } }),
});

describe('embeddings in OpenAI’s shape', () => {
  it('are asked of Cohere in its own, and told in OpenAI’s', () => {
    const mapped = map('cohere', 'embeddings', 'embed-v4.0', { input: 'hi', dimensions: 256 })!;
    expect(mapped.body).toEqual({
      ...{ model: 'embed-v4.0', texts: ['hi'], input_type: 'search_document' },
      ...{ embedding_types: ['float'], output_dimension: 256 },
    });
    const told = { id: 'x', embeddings: { float: [vector] }, meta: { billed_units: { input_tokens: 3 } } };
    expect(mapped.answer(told)).toEqual({ ...listed(3), model: 'embed-v4.0' });
  });

  it('are told as base64 where the client asks for that, as OpenAI’s own SDK does', () => {
    const asked = { input: ['hi'], encoding_format: 'base64' };
    const mapped = map('cohere', 'embeddings', 'embed-v4.0', asked)!;
    const { data } = mapped.answer({ embeddings: { float: [vector] } }) as { data: { embedding: string }[] };
    const bytes = Buffer.from(data[0]!.embedding, 'base64');
    expect([...new Float32Array(bytes.buffer, bytes.byteOffset, 2)]).toEqual(vector);
  });

  it('go to Titan one at a time', () => {
    const id = 'amazon.titan-embed-text-v2:0';
    const mapped = map('hosted', 'embeddings', id, { input: ['hi'], dimensions: 512 })!;
    expect(mapped.body).toEqual({ inputText: 'hi', dimensions: 512 });
    expect(mapped.answer({ embedding: vector, inputTextTokenCount: 2 })).toEqual({ ...listed(2), model: id });
    expect(() => map('hosted', 'embeddings', id, { input: ['a', 'b'] })).toThrow(
      expect.objectContaining({ code: 'invalid_field', param: 'input' }),
    );
  });

  it('go to Cohere’s models of the hosted service, which counts tokens in a header', () => {
    const id = 'cohere.embed-english-v3';
    const mapped = map('hosted', 'embeddings', id, { input: 'hi' })!;
    expect(mapped.body).toEqual({ texts: ['hi'], input_type: 'search_document', embedding_types: ['float'] });
    const headers = { 'x-amzn-bedrock-input-token-count': '4' };
    expect(mapped.answer({ embeddings: [vector] }, headers)).toEqual({ ...listed(4), model: id });
  });

  it('go to Vertex AI as instances', () => {
    const mapped = map('vertex', 'embeddings', 'text-embedding-005', { input: ['a'], dimensions: 2 })!;
    expect(mapped.body).toEqual({ instances: [{ content: 'a' }], parameters: { outputDimensionality: 2 } });
    const embeddings = { values: vector, statistics: { token_count: 5, truncated: false } };
    expect(mapped.answer({ predictions: [{ embeddings }] })).toEqual({
      ...listed(5),
      model: 'text-embedding-005',
    });
  });

  it('differ in single words at Voyage and Jina', () => {
    const asked = { input: 'hi', encoding_format: 'float', dimensions: 256 };
    expect(map('voyage', 'embeddings', 'voyage-4', asked)?.body).toEqual({
      ...{ model: 'voyage-4', input: 'hi', output_dimension: 256 },
    });
    expect(map('jina', 'embeddings', 'jina-embeddings-v4', asked)?.body).toEqual({
      ...{ model: 'jina-embeddings-v4', input: 'hi', embedding_type: 'float', dimensions: 256 },
    });
  });

  it.each([[[1, 2, 3]], [[[1], [2]]], [undefined], [[]], ['']])(
    'of %j are refused by name where a provider has no word for them, and never sent',
    (input) => {
      const mapping = () => map('vertex', 'embeddings', 'm', { input: input ?? null });
      if (input === '') expect(mapping()?.body).toEqual({ instances: [{ content: '' }] });
      else expect(mapping).toThrow(expect.objectContaining({ code: 'invalid_field', param: 'input' }));
    },
  );
});

describe('a body in the provider’s own shape', () => {
  it.each<[string, ProxyEndpoint, JsonFields]>([
    ['cohere', 'embeddings', { texts: ['a'], input_type: 'search_query' }],
    ['voyage', 'embeddings', { input: 'a', output_dimension: 256 }],
    ['voyage', 'rerank', { query: 'q', documents: ['a'], top_k: 1 }],
    ['jina', 'embeddings', { input: 'a', task: 'text-matching' }],
    ['xai', 'videos/generations', { prompt: 'p', duration: 5 }],
    ['together', 'videos/generations', { prompt: 'p', seconds: '5' }],
  ])('goes to %s for %s as it is: %j', (name, endpoint, asked) => {
    expect(routeOf(name, endpoint)?.shape).toBeDefined();
    expect(map(name, endpoint, 'a-model', asked)).toBeNull();
  });

  it.each<[string, ProxyEndpoint, string, JsonFields]>([
    ['hosted', 'embeddings', 'amazon.titan-embed-text-v2:0', { inputText: 'a' }],
    ['hosted', 'embeddings', 'eu.cohere.embed-v4:0', { texts: ['a'], input_type: 'search_query' }],
    ['hosted', 'images/generations', 'amazon.nova-canvas-v1:0', { taskType: 'BACKGROUND_REMOVAL' }],
    ['vertex', 'embeddings', 'text-embedding-005', { instances: [{ content: 'a', task_type: 'X' }] }],
    ['google', 'videos/generations', 'veo-3.1', { instances: [{ prompt: 'a' }] }],
  ])('goes to %s for %s without the model, which stands in the address', (name, endpoint, model, asked) => {
    expect(map(name, endpoint, model, asked)?.body).toEqual(asked);
    expect(routeOf(name, endpoint, model)?.path).toContain('{model}');
  });
});

describe('rerank in Cohere’s shape', () => {
  const asked = { query: 'q', documents: ['a', { text: 'b' }], top_n: 1, return_documents: true };

  it('is asked of Voyage in its own, and told in Cohere’s', () => {
    const mapped = map('voyage', 'rerank', 'rerank-2.5', asked)!;
    expect(mapped.body).toEqual({
      ...{ model: 'rerank-2.5', query: 'q', documents: ['a', 'b'], top_k: 1, return_documents: true },
    });
    const data = [{ index: 1, relevance_score: 0.9, document: 'b' }];
    const told = { object: 'list', data, model: 'rerank-2.5', usage: { total_tokens: 26 } };
    expect(mapped.answer(told)).toEqual({
      model: 'rerank-2.5',
      usage: { total_tokens: 26 },
      results: [{ index: 1, relevance_score: 0.9, document: { text: 'b' } }],
    });
  });

  it.each([
    ['cohere.rerank-v3-5:0', { api_version: 2 }],
    ['amazon.rerank-v1:0', {}],
  ])('is asked of the hosted %s', (model, more) => {
    const mapped = map('hosted', 'rerank', model, asked)!;
    expect(mapped.body).toEqual({ query: 'q', documents: ['a', 'b'], top_n: 1, ...more });
    const told = { results: [{ index: 1, relevanceScore: 0.5 }] };
    expect(mapped.answer(told)).toEqual({ results: [{ index: 1, relevance_score: 0.5 }] });
  });

  it('is refused by name where documents are no texts', () => {
    for (const documents of [undefined, [], [{ image: 'x' }], 'a']) {
      expect(() => map('voyage', 'rerank', 'rerank-2.5', { query: 'q', documents })).toThrow(
        expect.objectContaining({ code: 'invalid_field', param: 'documents' }),
      );
    }
  });

  it('passes to Jina and Cohere as it is', () => {
    for (const name of ['jina', 'cohere', 'openrouter']) {
      expect(routeOf(name, 'rerank')).toEqual({ path: '/rerank' });
    }
  });
});

describe('images and videos', () => {
  const image = { prompt: 'a cat', n: 2, size: '1024x768' };

  it('are asked of the makers of the hosted service in their own shapes', () => {
    const amazon = map('hosted', 'images/generations', 'amazon.nova-canvas-v1:0', image)!;
    expect(amazon.body).toEqual({
      taskType: 'TEXT_IMAGE',
      textToImageParams: { text: 'a cat' },
      imageGenerationConfig: { numberOfImages: 2, width: 1024, height: 768 },
    });
    expect(amazon.answer({ images: ['aGk='] })).toMatchObject({ data: [{ b64_json: 'aGk=' }] });
    const stability = map('hosted', 'images/generations', 'stability.sd3-5-large-v1:0', { ...image, n: 1 })!;
    expect(stability.body).toEqual({ prompt: 'a cat', aspect_ratio: '4:3', output_format: 'png' });
    expect(() => map('hosted', 'images/generations', 'stability.sd3-5-large-v1:0', image)).toThrow(/"n"/);
  });

  it('are refused where they would have to be stored for the client', () => {
    const asked = { ...image, response_format: 'url' };
    expect(() => map('vertex', 'images/generations', 'imagen-4.0', asked)).toThrow(/"response_format"/);
  });

  it('are asked of Veo and xAI in their own shapes, and told as videos that are being made', () => {
    const asked = { prompt: 'a cat', seconds: '8', size: '1280x720' };
    const veo = map('google', 'videos/generations', 'veo-3.1', asked)!;
    expect(veo.body).toEqual({
      instances: [{ prompt: 'a cat' }],
      parameters: { durationSeconds: 8, aspectRatio: '16:9', resolution: '720p' },
    });
    expect(veo.answer({ name: 'models/veo-3.1/operations/1' })).toMatchObject({
      ...{ id: 'models/veo-3.1/operations/1', object: 'video', model: 'veo-3.1', status: 'queued' },
    });
    const xai = map('xai', 'videos/generations', 'grok-imagine-video', asked)!;
    expect(xai.body).toEqual({
      ...{
        model: 'grok-imagine-video',
        prompt: 'a cat',
        duration: 8,
        aspect_ratio: '16:9',
        resolution: '720p',
      },
    });
    expect(xai.answer({ request_id: 'r' })).toMatchObject({ id: 'r', status: 'queued' });
    const together = map('together', 'videos/generations', 'm', { prompt: 'a cat', size: '1280x720' })!;
    expect(together.body).toEqual({ model: 'm', prompt: 'a cat', width: 1280, height: 720 });
  });
});

describe('endpoints', () => {
  it.each<[string, string, readonly ProxyEndpoint[]]>([
    ['anthropic', 'claude', []],
    ['sandbox', 'sandbox-1', []],
    ['hosted', 'anthropic.claude-sonnet-4-5', ['responses']],
    ['hosted', 'arn:aws:bedrock:us-east-1:1:inference-profile/x', ['responses']],
    ['jina', 'm', ['embeddings', 'rerank']],
    ['voyage', 'm', ['embeddings', 'rerank']],
    ['google', 'm', ['embeddings', 'images/generations', 'videos/generations']],
    ['cohere', 'm', ['embeddings', 'audio/transcriptions', 'rerank']],
  ])('of %s for %s are %j and no others', (name, model, has) => {
    expect(proxyEndpoints.filter((endpoint) => routeOf(name, endpoint, model) !== undefined)).toEqual(has);
  });
});
