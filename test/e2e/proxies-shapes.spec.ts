/** Tests proxied endpoints of providers with unusual paths, credentials or formats. */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { CohereClient } from 'cohere-ai';
import OpenAI from 'openai';
import { connectProvider, createTestAccount, requestIdOf, waitForRow } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { invalid } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
let replay: ReplayProvider;
let key: string;
let openai: OpenAI;
const awsKeyId = 'AKIAPROXIES012345678';
beforeAll(async () => {
  replay = await startProvider();
  key = (await createTestAccount(stack)).apiKey;
  const addresses = {
    google: '/v1beta',
    cohere: '/v2',
    voyage: '/v1',
    jina: '/v1',
    together: '/v1',
    xai: '/v1',
  };
  for (const [provider, path] of Object.entries(addresses)) {
    const base_url = `${replay.url}${path}`;
    await connectProvider(stack.baseUrl, key, { provider, api_key: `key-of-${provider}`, base_url });
  }
  const hosted = {
    ...{
      provider: 'hosted',
      access_key_id: awsKeyId,
      secret_access_key: 'secret-of-proxies-0123456789abcdef',
    },
    ...{ region: 'eu-west-1', base_url: replay.url },
  };
  const put = { method: 'PUT', path: '/v1/account/providers', key, body: hosted };
  expect((await send(stack.baseUrl, put)).status).toBe(200);
  openai = new OpenAI({ apiKey: key, baseURL: `${stack.baseUrl}/v1`, maxRetries: 0 });
});
afterEach(() => replay.reset());
afterAll(() => replay.close());

const json = { 'content-type': 'application/json' };
const answerWith = (body: unknown, headers: Record<string, string> = json, status = 200) =>
  replay.enqueue(null, { status, headers, body });
const sent = () => replay.requests.at(-1)!;
const sentJson = () => JSON.parse(sent().body.toString()) as Record<string, unknown>;
const post = (path: string, body: unknown) => send(stack.baseUrl, { path, key, body });

describe('embeddings with the openai SDK', () => {
  const vector = [0.5, -0.25];

  it('embeddings from Gemini arrive through Google’s OpenAI-compatible interface with a bearer key', async () => {
    const data = [{ object: 'embedding', index: 0, embedding: vector }];
    answerWith({ object: 'list', model: 'gemini-embedding-001', data });
    const asked = { model: 'google/gemini-embedding-001', input: 'hi', encoding_format: 'float' } as const;
    expect((await openai.embeddings.create(asked)).data[0]?.embedding).toEqual(vector);
    expect(sent()).toMatchObject({
      url: '/v1beta/openai/embeddings',
      headers: { authorization: 'Bearer key-of-google' },
    });
    expect(sent().headers['x-goog-api-key']).toBeUndefined();
    expect(sentJson()).toEqual({ model: 'gemini-embedding-001', input: 'hi', encoding_format: 'float' });
  });

  it('embeddings from Cohere arrive in OpenAI’s format and the requested encoding, with usage and cost in the log', async () => {
    const meta = { billed_units: { input_tokens: 1_000 } };
    answerWith({ id: 'x', embeddings: { float: [vector] }, texts: ['hi'], meta });
    const made = await openai.embeddings.create({ model: 'cohere/embed-v4.0', input: ['hi'] }).withResponse();
    expect([...(made.data.data[0]?.embedding ?? [])]).toEqual(vector);
    expect(made.data.usage).toEqual({ prompt_tokens: 1_000, total_tokens: 1_000 });
    expect(sent().url).toBe('/v2/embed');
    expect(sentJson()).toMatchObject({ model: 'embed-v4.0', texts: ['hi'], input_type: 'search_document' });
    const requestId = made.response.headers.get('x-request-id');
    const row = await waitForRow(stack.baseUrl, key, requestId ?? '');
    expect(row).toMatchObject({ status: 'ok', provider: 'cohere', lane: 'translated', prompt_tokens: 1_000 });
  });

  it('embeddings from the hosted service arrive after a signed call to the model’s address', async () => {
    answerWith({ embedding: vector, inputTextTokenCount: 2 });
    const model = 'hosted/amazon.titan-embed-text-v2:0';
    const made = await openai.embeddings.create({ model, input: 'hi', dimensions: 256 });
    expect([...(made.data[0]?.embedding ?? [])]).toEqual(vector);
    expect(sent().url).toBe('/model/amazon.titan-embed-text-v2%3A0/invoke');
    expect(sentJson()).toEqual({ inputText: 'hi', dimensions: 256 });
    const { authorization } = sent().headers;
    expect(authorization).toContain(`AWS4-HMAC-SHA256 Credential=${awsKeyId}/`);
    expect(authorization).toContain('/eu-west-1/bedrock/aws4_request');
  });

  it('requests for embeddings from Voyage and Jina use the providers’ own field names', async () => {
    const body = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: vector }], usage: {} };
    const asked = { input: 'hi', dimensions: 256, encoding_format: 'float' } as const;
    answerWith(body);
    await openai.embeddings.create({ ...asked, model: 'voyage/voyage-4' });
    expect(sentJson()).toEqual({ model: 'voyage-4', input: 'hi', output_dimension: 256 });
    answerWith(body);
    await openai.embeddings.create({ ...asked, model: 'jina/jina-embeddings-v4' });
    expect(sentJson()).toEqual({
      ...{ model: 'jina-embeddings-v4', input: 'hi', dimensions: 256, embedding_type: 'float' },
    });
  });
});

describe('reranking with the cohere SDK', () => {
  it.each([
    ['voyage/rerank-2.5', '/v1/rerank', { data: [{ index: 1, relevance_score: 0.9 }] }],
    ['jina/jina-reranker-v3', '/v1/rerank', { results: [{ index: 1, relevance_score: 0.9 }] }],
    [
      'hosted/cohere.rerank-v3-5:0',
      '/model/cohere.rerank-v3-5%3A0/invoke',
      { results: [{ index: 1, relevance_score: 0.9 }] },
    ],
  ])('reranking with the cohere SDK returns results from %s', async (model, path, answer) => {
    answerWith(answer);
    const cohere = new CohereClient({ token: key, environment: stack.baseUrl });
    const ranked = await cohere.rerank({ model, query: 'capital', documents: ['a', 'b'], topN: 1 });
    expect(ranked.results).toMatchObject([{ index: 1, relevanceScore: 0.9 }]);
    expect(sent().url).toBe(path);
    expect(sentJson()).toMatchObject({ query: 'capital', documents: ['a', 'b'] });
  });
});

describe('the Responses API of the hosted service', () => {
  it('the Responses API of the hosted service receives the unchanged body with a signature, and streams', async () => {
    const events = 'event: response.completed\ndata: {"type":"response.completed"}\n\n';
    answerWith(events, { 'content-type': 'text/event-stream' });
    const body = '{"model":"hosted/openai.gpt-5.5", "input":"hi","seed":12345678901234567890,"stream":true}';
    const answer = await post('/v1/responses', body);
    expect(answer.text).toBe(events);
    expect(sent().url).toBe('/openai/v1/responses');
    expect(sent().headers.authorization).toContain('AWS4-HMAC-SHA256');
    expect(sent().body.toString()).toBe(body.replace('hosted/', ''));
  });
});

describe('credentials in the body', () => {
  const cloud = {
    cloud_access_key_id: 'AKIACANARYPROXIES012',
    cloud_secret_access_key: 'canary-of-proxies-01234',
  };

  it.each([
    ['that the gateway buffers', 'hi'],
    ['that the gateway streams', 'x'.repeat(400_000)],
  ])('credentials in a body %s are never forwarded to any provider', async (_, input) => {
    answerWith({ object: 'list', data: [] });
    const asked = { input, nested: cloud.cloud_access_key_id.slice(0, 4) };
    const body = { cloud_region_name: 'us-east-1', model: 'jina/jina-embeddings-v4', ...asked, ...cloud };
    expect((await post('/v1/embeddings', body)).status).toBe(200);
    expect(sent().body.toString()).not.toMatch(/cloud_|canary|us-east-1|AKIACANARY/);
    expect(sentJson()).toEqual({ model: 'jina-embeddings-v4', ...asked });
  });

  it('credentials in the body are validated for the hosted service', async () => {
    const asked = { model: 'hosted/amazon.titan-embed-text-v2:0', input: 'hi' };
    const halved = { ...asked, cloud_access_key_id: cloud.cloud_access_key_id };
    const error = { ...invalid, code: 'missing_field', param: 'cloud_secret_access_key' };
    expectError(await post('/v1/embeddings', halved), error);
    const elsewhere = { ...asked, ...cloud, cloud_region_name: 'evil.test/' };
    const refused = await post('/v1/embeddings', elsewhere);
    expectError(refused, { ...invalid, code: 'invalid_field', param: 'cloud_region_name' });
    expect(refused.text).not.toContain('canary');
    expect(replay.requests).toHaveLength(0);
  });
});

describe('requests that a provider does not support', () => {
  it.each([
    [
      '/v1/embeddings',
      { model: 'hosted/amazon.titan-embed-text-v2:0', input: ['a', 'b'] },
      'invalid_field',
      'input',
    ],
    ['/v1/embeddings', { model: 'cohere/embed-v4.0', input: [1, 2, 3] }, 'invalid_field', 'input'],
    [
      '/v1/rerank',
      { model: 'voyage/rerank-2.5', query: 'q', documents: [{ image: 'x' }] },
      'invalid_field',
      'documents',
    ],
    ['/v1/embeddings', { model: 'hosted/anthropic.claude-sonnet-4-5' }, 'endpoint_not_supported', 'model'],
    ['/v1/moderations', { model: 'google/gemini-3-flash', input: 'x' }, 'endpoint_not_supported', 'model'],
    ['/v1/chat/completions', { model: 'voyage/voyage-4', messages: [] }, 'provider_not_connected', 'model'],
  ])(
    '%s %j: a request that the provider does not support returns 400 with the reason',
    async (path, body, code, param) => {
      expectError(await post(path, body), { ...invalid, code, param });
      expect(replay.requests).toHaveLength(0);
    },
  );

  it('a form is rejected for a provider with a different format', async () => {
    const form = `--b\r\ncontent-disposition: form-data; name="model"\r\n\r\ngoogle/veo-3.1\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await send(stack.baseUrl, { path: '/v1/videos/generations', key, body: form, headers });
    expect(answer.status).toBe(415);
    expect(replay.requests).toHaveLength(0);
  });
});

it('an error from a provider with a different format is returned in the client’s format', async () => {
  const headers = { ...json, 'x-amzn-errortype': 'ValidationException' };
  answerWith({ message: 'Too long.' }, headers, 400);
  const asked = openai.embeddings.create({ model: 'hosted/amazon.titan-embed-text-v2:0', input: 'hi' });
  await expect(asked).rejects.toThrow(/Too long/);
});

it('video requests use each provider’s own format and address', async () => {
  const body = { prompt: 'a cat', seconds: '8', size: '1280x720' };
  answerWith({ request_id: 'r' });
  const made = await post('/v1/videos/generations', { model: 'xai/grok-imagine-video', ...body });
  expect(made.json()).toMatchObject({ id: 'r', object: 'video', status: 'queued' });
  expect(requestIdOf(made)).toMatch(/^[0-9a-f-]{36}$/);
  answerWith({ id: 'v' });
  await post('/v1/videos/generations', { model: 'together/veo', ...body });
  expect(sent().url).toBe('/v2/videos');
  answerWith({ name: 'models/veo-3.1/operations/1' });
  await post('/v1/videos/generations', { model: 'google/veo-3.1', ...body });
  expect(sent().url).toBe('/v1beta/models/veo-3.1:predictLongRunning');
});
