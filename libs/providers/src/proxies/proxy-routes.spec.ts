import { findProvider } from '../provider-table.ts';
import { proxyRouteOf } from '../provider/provider.ts';
import { proxyEndpoints, type JsonFields, type ProxyEndpoint } from '../provider/proxy-route.ts';

const routeOf = (name: string, endpoint: ProxyEndpoint, model = 'a-model') =>
  proxyRouteOf(findProvider(name)!, endpoint, model);

/** Maps a request for a provider. Returns the mapped body and a function that maps the response. */
function map(name: string, endpoint: ProxyEndpoint, model: string, request: JsonFields) {
  const mapped = routeOf(name, endpoint, model)?.shape?.({ model: `${name}/${model}`, ...request }, model);
  if (mapped == null) return null;
  const { body, mapAnswer = (answer: JsonFields) => answer } = mapped;
  return { body, answer: (received: JsonFields, headers = {}) => mapAnswer(received, headers) };
}

const vector = [0.5, -0.25];
const listed = (usage?: number) => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: vector }],
  ...(usage === undefined ? {} : { usage: { prompt_tokens: usage, total_tokens: usage } }),
});

describe('embeddings in OpenAI’s shape', () => {
  it('maps embeddings to Cohere’s shape, and maps the response back to OpenAI’s shape', () => {
    const mapped = map('cohere', 'embeddings', 'embed-v4.0', { input: 'hi', dimensions: 256 })!;
    expect(mapped.body).toEqual({
      ...{ model: 'embed-v4.0', texts: ['hi'], input_type: 'search_document' },
      ...{ embedding_types: ['float'], output_dimension: 256 },
    });
    const received = {
      id: 'x',
      embeddings: { float: [vector] },
      meta: { billed_units: { input_tokens: 3 } },
    };
    expect(mapped.answer(received)).toEqual({ ...listed(3), model: 'embed-v4.0' });
  });

  it('encodes embeddings as base64 when the client requests it, as OpenAI’s own SDK does', () => {
    const request = { input: ['hi'], encoding_format: 'base64' };
    const mapped = map('cohere', 'embeddings', 'embed-v4.0', request)!;
    const { data } = mapped.answer({ embeddings: { float: [vector] } }) as { data: { embedding: string }[] };
    const bytes = Buffer.from(data[0]!.embedding, 'base64');
    expect([...new Float32Array(bytes.buffer, bytes.byteOffset, 2)]).toEqual(vector);
  });

  it('sends one text per request to Titan', () => {
    const id = 'amazon.titan-embed-text-v2:0';
    const mapped = map('hosted', 'embeddings', id, { input: ['hi'], dimensions: 512 })!;
    expect(mapped.body).toEqual({ inputText: 'hi', dimensions: 512 });
    expect(mapped.answer({ embedding: vector, inputTextTokenCount: 2 })).toEqual({ ...listed(2), model: id });
    expect(() => map('hosted', 'embeddings', id, { input: ['a', 'b'] })).toThrow(
      expect.objectContaining({ code: 'invalid_field', param: 'input' }),
    );
  });

  it('sends embeddings to Cohere on Amazon Bedrock and reads token counts from a header', () => {
    const id = 'cohere.embed-english-v3';
    const mapped = map('hosted', 'embeddings', id, { input: 'hi' })!;
    expect(mapped.body).toEqual({ texts: ['hi'], input_type: 'search_document', embedding_types: ['float'] });
    const headers = { 'x-amzn-bedrock-input-token-count': '4' };
    expect(mapped.answer({ embeddings: [vector] }, headers)).toEqual({ ...listed(4), model: id });
  });

  it('sends embeddings to Vertex AI as instances', () => {
    const mapped = map('vertex', 'embeddings', 'text-embedding-005', { input: ['a'], dimensions: 2 })!;
    expect(mapped.body).toEqual({ instances: [{ content: 'a' }], parameters: { outputDimensionality: 2 } });
    const embeddings = { values: vector, statistics: { token_count: 5, truncated: false } };
    expect(mapped.answer({ predictions: [{ embeddings }] })).toEqual({
      ...listed(5),
      model: 'text-embedding-005',
    });
  });

  it('renames individual embedding fields for Voyage and Jina', () => {
    const request = { input: 'hi', encoding_format: 'float', dimensions: 256 };
    expect(map('voyage', 'embeddings', 'voyage-4', request)?.body).toEqual({
      ...{ model: 'voyage-4', input: 'hi', output_dimension: 256 },
    });
    expect(map('jina', 'embeddings', 'jina-embeddings-v4', request)?.body).toEqual({
      ...{ model: 'jina-embeddings-v4', input: 'hi', embedding_type: 'float', dimensions: 256 },
    });
  });

  it.each([[[1, 2, 3]], [[[1], [2]]], [undefined], [[]], ['']])(
    'returns an error that contains the field name for the input %j, unless the input is a string',
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
  ])('forwards a body in the provider’s own shape to %s for %s unchanged: %j', (name, endpoint, request) => {
    expect(routeOf(name, endpoint)?.shape).toBeDefined();
    expect(map(name, endpoint, 'a-model', request)).toBeNull();
  });

  it.each<[string, ProxyEndpoint, string, JsonFields]>([
    ['hosted', 'embeddings', 'amazon.titan-embed-text-v2:0', { inputText: 'a' }],
    ['hosted', 'embeddings', 'eu.cohere.embed-v4:0', { texts: ['a'], input_type: 'search_query' }],
    ['hosted', 'images/generations', 'amazon.nova-canvas-v1:0', { taskType: 'BACKGROUND_REMOVAL' }],
    ['vertex', 'embeddings', 'text-embedding-005', { instances: [{ content: 'a', task_type: 'X' }] }],
    ['google', 'videos/generations', 'veo-3.1', { instances: [{ prompt: 'a' }] }],
  ])(
    'sends a body to %s for %s without the model, because the model is part of the path',
    (name, endpoint, model, request) => {
      expect(map(name, endpoint, model, request)?.body).toEqual(request);
      expect(routeOf(name, endpoint, model)?.path).toContain('{model}');
    },
  );
});

describe('rerank in Cohere’s shape', () => {
  const request = { query: 'q', documents: ['a', { text: 'b' }], top_n: 1, return_documents: true };

  it('maps rerank to Voyage’s shape, and maps the response back to Cohere’s shape', () => {
    const mapped = map('voyage', 'rerank', 'rerank-2.5', request)!;
    expect(mapped.body).toEqual({
      ...{ model: 'rerank-2.5', query: 'q', documents: ['a', 'b'], top_k: 1, return_documents: true },
    });
    const data = [{ index: 1, relevance_score: 0.9, document: 'b' }];
    const received = { object: 'list', data, model: 'rerank-2.5', usage: { total_tokens: 26 } };
    expect(mapped.answer(received)).toEqual({
      model: 'rerank-2.5',
      usage: { total_tokens: 26 },
      results: [{ index: 1, relevance_score: 0.9, document: { text: 'b' } }],
    });
  });

  it.each([
    ['cohere.rerank-v3-5:0', { api_version: 2 }],
    ['amazon.rerank-v1:0', {}],
  ])('maps rerank for %s on Amazon Bedrock', (model, more) => {
    const mapped = map('hosted', 'rerank', model, request)!;
    expect(mapped.body).toEqual({ query: 'q', documents: ['a', 'b'], top_n: 1, ...more });
    const received = { results: [{ index: 1, relevanceScore: 0.5 }] };
    expect(mapped.answer(received)).toEqual({ results: [{ index: 1, relevance_score: 0.5 }] });
  });

  it('returns an error that contains the field name when documents are not strings', () => {
    for (const documents of [undefined, [], [{ image: 'x' }], 'a']) {
      expect(() => map('voyage', 'rerank', 'rerank-2.5', { query: 'q', documents })).toThrow(
        expect.objectContaining({ code: 'invalid_field', param: 'documents' }),
      );
    }
  });

  it('forwards rerank unchanged to Jina, Cohere and OpenRouter', () => {
    for (const name of ['jina', 'cohere', 'openrouter']) {
      expect(routeOf(name, 'rerank')).toEqual({ path: '/rerank' });
    }
  });
});

describe('images and videos', () => {
  const image = { prompt: 'a cat', n: 2, size: '1024x768' };

  it('maps images to the shape of each model maker on Amazon Bedrock', () => {
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

  it('returns an error for response_format url if the provider hosts no images', () => {
    const request = { ...image, response_format: 'url' };
    expect(() => map('vertex', 'images/generations', 'imagen-4.0', request)).toThrow(/"response_format"/);
  });

  it('maps videos to the shapes used by Veo and xAI, and returns a queued video', () => {
    const request = { prompt: 'a cat', seconds: '8', size: '1280x720' };
    const veo = map('google', 'videos/generations', 'veo-3.1', request)!;
    expect(veo.body).toEqual({
      instances: [{ prompt: 'a cat' }],
      parameters: { durationSeconds: 8, aspectRatio: '16:9', resolution: '720p' },
    });
    expect(veo.answer({ name: 'models/veo-3.1/operations/1' })).toMatchObject({
      ...{ id: 'models/veo-3.1/operations/1', object: 'video', model: 'veo-3.1', status: 'queued' },
    });
    const xai = map('xai', 'videos/generations', 'grok-imagine-video', request)!;
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
    ['sandbox', 'sandbox-1', ['embeddings']],
    ['hosted', 'anthropic.claude-sonnet-4-5', []],
    ['hosted', 'openai.gpt-oss-120b-1:0', ['responses']],
    ['hosted', 'arn:aws:bedrock:us-east-1:1:inference-profile/x', ['responses']],
    ['jina', 'm', ['embeddings', 'rerank']],
    ['voyage', 'm', ['embeddings', 'rerank']],
    ['google', 'm', ['embeddings', 'images/generations', 'videos/generations']],
    ['cohere', 'm', ['embeddings', 'audio/transcriptions', 'rerank']],
  ])('the endpoints for %s and the model %s are exactly %j', (name, model, has) => {
    expect(proxyEndpoints.filter((endpoint) => routeOf(name, endpoint, model) !== undefined)).toEqual(has);
  });
});

describe('the id of a video', () => {
  const vertexId = 'projects/p/locations/l/publishers/google/models/veo-3/operations/op-1';
  const stateOf = (name: string, id: string) =>
    proxyRouteOf(findProvider(name)!, 'videos/generations', '')?.videos?.stateOf(id);

  it.each([
    ['openai', 'video_1'],
    ['xai', 'r-1'],
    ['together', 'v-1'],
    ['siliconflow', 's-1'],
    ['google', 'models/veo-3.1/operations/op-1'],
    ['vertex', vertexId],
  ])('%s: %s has a state', (name, id) => {
    expect(stateOf(name, id)).toBeDefined();
  });

  it.each([
    ['openai', 'video_1/content'],
    ['openai', '..'],
    ['openai', 'video_1?after=x'],
    ['xai', 'a/b'],
    ['together', 'a/b'],
    ['siliconflow', 'a/b'],
    ['google', 'files'],
    ['google', 'files/f-1'],
    ['google', 'models/veo-3.1'],
    ['google', 'models/veo-3.1/operations/../../files'],
    ['google', 'models/veo-3.1/operations/op-1/cancel'],
    ['google', 'models/../operations/op-1'],
    ['vertex', `${vertexId}/x`],
    ['vertex', vertexId.replace('veo-3', '..')],
  ])('%s: %s belongs to no video', (name, id) => {
    expect(stateOf(name, id)).toBeUndefined();
  });
});
