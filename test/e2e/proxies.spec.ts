/** Tests the proxied endpoints with official SDKs and recorded responses against the running gateway. */
import { Mistral } from '@mistralai/mistralai';
import {
  findRecordings,
  loadRecordings,
  sharedStack,
  type Recording,
  type ReplayProvider,
  skipUnless,
} from '@gateway/testing';
import { CohereClient } from 'cohere-ai';
import OpenAI, { toFile } from 'openai';
import { bodyOf } from '../contract/check-every.ts';
import { connectProvider, createTestAccount, requestIdOf, waitForRow } from './account.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
let replay: ReplayProvider;
let key: string;
let openai: OpenAI;
beforeAll(async () => {
  replay = await startProvider();
  key = (await createTestAccount(stack)).apiKey;
  for (const provider of ['openai', 'mistral', 'openrouter', 'xai', 'deepseek', 'voyage']) {
    await connectProvider(stack.baseUrl, key, {
      provider,
      api_key: `key-of-${provider}`,
      base_url: `${replay.url}/v1`,
    });
  }
  await connectProvider(stack.baseUrl, key, {
    provider: 'cohere',
    api_key: 'cohere-key',
    base_url: `${replay.url}/v2`,
  });
  openai = new OpenAI({ apiKey: key, baseURL: `${stack.baseUrl}/v1`, maxRetries: 0 });
});
afterEach(() => replay.reset());
afterAll(() => replay.close());

const json = { 'content-type': 'application/json' };
const answerWith = (body: unknown, headers: Record<string, string> = json) =>
  replay.enqueue(null, { status: 200, headers, body });
const sent = () => replay.requests.at(-1)!;
const sentJson = () => JSON.parse(sent().body.toString()) as Record<string, unknown>;

it.each([
  ['buffered body', 10],
  ['streamed body', 300_000],
])('a body with two models is forwarded with only the model that was checked: %s', async (_, length) => {
  answerWith({ object: 'list', data: [], model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } });
  const body = `{"model":"openai/small","input":"${'x'.repeat(length)}","model":"large","mode\\u006c":"largest"}`;
  const answer = await send(stack.baseUrl, { path: '/v1/embeddings', key, body });
  expect(answer).toMatchObject({ status: 200, headers: { 'x-svc-model': 'small' } });
  expect(sentJson()).toEqual({ model: 'small', input: 'x'.repeat(length) });
});

describe('the openai SDK', () => {
  it('the openai SDK gets embeddings, and the provider receives the model name in the provider’s own spelling', async () => {
    answerWith({
      object: 'list',
      model: 'text-embedding-3-small',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }],
      usage: { prompt_tokens: 5, total_tokens: 5 },
    });
    const made = await openai.embeddings.create({
      model: 'openai/text-embedding-3-small',
      input: 'hello',
      encoding_format: 'float',
    });
    expect(made.data[0]?.embedding).toEqual([0.5, -0.25]);
    expect(sent().url).toBe('/v1/embeddings');
    expect(sent().headers.authorization).toBe('Bearer key-of-openai');
    expect(sentJson()).toEqual({ model: 'text-embedding-3-small', input: 'hello', encoding_format: 'float' });
  });

  it('the openai SDK completes text, streamed or not', async () => {
    const completion = (text: string) => ({
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1,
      model: 'gpt-3.5-turbo-instruct',
      choices: [{ index: 0, text, logprobs: null, finish_reason: 'stop' }],
    });
    answerWith(completion('Once.'));
    const asked = { model: 'openai/gpt-3.5-turbo-instruct', prompt: 'Say once' };
    expect((await openai.completions.create(asked)).choices[0]?.text).toBe('Once.');
    const frames = ['On', 'ce.'].map((text) => `data: ${JSON.stringify(completion(text))}\n\n`).join('');
    answerWith(`${frames}data: [DONE]\n\n`, { 'content-type': 'text/event-stream' });
    let text = '';
    for await (const chunk of await openai.completions.create({ ...asked, stream: true })) {
      text += chunk.choices[0]?.text ?? '';
    }
    expect(text).toBe('Once.');
  });

  it('the openai SDK generates, edits and varies images, and files are forwarded byte for byte', async () => {
    const image = { created: 1, data: [{ b64_json: 'aGk=' }] };
    const bytes = Buffer.alloc(300_000, 7);
    answerWith(image);
    const generated = await openai.images.generate({ model: 'openai/gpt-image-1', prompt: 'a cat' });
    expect(generated.data?.[0]?.b64_json).toBe('aGk=');
    answerWith(image);
    const file = () => toFile(bytes, 'cat.png', { type: 'image/png' });
    await openai.images.edit({ image: await file(), prompt: 'with a hat', model: 'openai/gpt-image-1' });
    expect(sent().url).toBe('/v1/images/edits');
    expect(sent().body.includes(bytes)).toBe(true);
    expect(sent().body.includes('openai/gpt-image-1')).toBe(false);
    expect(Number(sent().headers['content-length'] ?? sent().body.length)).toBe(sent().body.length);
    answerWith(image);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- OpenAI is removing the endpoint, but clients still call it
    await openai.images.createVariation({ image: await file(), model: 'openai/dall-e-2' });
    expect(sent().url).toBe('/v1/images/variations');
  });

  it('the openai SDK transcribes audio and generates speech', async () => {
    answerWith({ text: 'Hello there.' });
    const file = await toFile(Buffer.alloc(100_000, 1), 'voice.wav', { type: 'audio/wav' });
    const heard = await openai.audio.transcriptions.create({ file, model: 'openai/whisper-1' });
    expect(heard.text).toBe('Hello there.');
    const audio = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 31) % 256));
    answerWith(audio, { 'content-type': 'audio/mpeg' });
    const spoken = await openai.audio.speech.create({
      model: 'openai/tts-1',
      voice: 'alloy',
      input: 'Hello',
    });
    expect(spoken.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await spoken.arrayBuffer()).equals(audio)).toBe(true);
  });

  it('the openai SDK moderates text and raises the provider’s own errors', async () => {
    answerWith({ id: 'modr-1', model: 'omni-moderation-latest', results: [] });
    const judged = await openai.moderations.create({ model: 'omni-moderation-latest', input: 'hi' });
    expect(judged.id).toBe('modr-1');
    const error = { message: 'Too long.', type: 'invalid_request_error', param: 'input', code: null };
    replay.enqueue(null, { status: 400, headers: json, body: { error } });
    const asked = openai.moderations.create({ model: 'omni-moderation-latest', input: 'hi' });
    await expect(asked).rejects.toThrow(OpenAI.BadRequestError);
  });
});

describe('the openai SDK, more endpoints', () => {
  it('the openai SDK gets responses, streamed or not', async () => {
    const output = [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Once.', annotations: [] }],
      },
    ];
    const response = { id: 'resp_1', object: 'response', model: 'gpt-5', status: 'completed', output };
    answerWith(response);
    const asked = { model: 'openai/gpt-5', input: 'Say once' };
    expect((await openai.responses.create(asked)).output_text).toBe('Once.');
    expect(sent().url).toBe('/v1/responses');
    const events = [
      ...['On', 'ce.'].map((delta) => ({ type: 'response.output_text.delta', delta })),
      { type: 'response.completed', response },
    ];
    const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    answerWith(frames.join(''), { 'content-type': 'text/event-stream' });
    let text = '';
    for await (const event of await openai.responses.create({ ...asked, stream: true })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect(text).toBe('Once.');
  });

  it('the openai SDK creates videos', async () => {
    answerWith({ id: 'video_1', object: 'video', status: 'queued', model: 'sora-2' });
    const body = { model: 'openai/sora-2', prompt: 'a cat', seconds: '4' };
    const made = await openai.post<{ id: string }>('/videos/generations', { body });
    expect(made.id).toBe('video_1');
    expect(sent().url).toBe('/v1/videos');
    expect(sentJson()).toEqual({ ...body, model: 'sora-2' });
  });
});

describe('other SDKs', () => {
  it('Cohere’s SDK reranks documents at Cohere’s own path', async () => {
    answerWith({ id: 'r', results: [{ index: 1, relevance_score: 0.9 }], meta: {} });
    const cohere = new CohereClient({ token: key, environment: stack.baseUrl });
    const ranked = await cohere.rerank({ model: 'rerank-v3.5', query: 'capital', documents: ['a', 'b'] });
    expect(ranked.results).toMatchObject([{ index: 1, relevanceScore: 0.9 }]);
    expect(sent().url).toBe('/v2/rerank');
    expect(sent().headers.authorization).toBe('Bearer cohere-key');
  });

  it('Mistral’s SDK reads documents', async () => {
    const page = { index: 0, markdown: '# Title', images: [], dimensions: null };
    answerWith({ pages: [page], model: 'mistral-ocr-latest', usage_info: { pages_processed: 1 } });
    const mistral = new Mistral({ apiKey: key, serverURL: stack.baseUrl });
    const read = await mistral.ocr.process({
      model: 'mistral-ocr-latest',
      document: { type: 'document_url', documentUrl: 'https://example.com/a.pdf' },
    });
    expect(read.pages[0]?.markdown).toBe('# Title');
    expect(sent().url).toBe('/v1/ocr');
  });
});

const folder = findRecordings(process.env['DATA_DIR']);
const connected = new Set(['openai', 'mistral', 'openrouter', 'xai', 'deepseek', 'voyage', 'cohere']);
const endpoints = {
  completions: 'completions',
  responses: 'responses',
  embeddings: 'embeddings',
  moderations: 'moderations',
  rerank: 'rerank',
  ocr: 'ocr',
};
const taken = ({ request_file, response_file, provider, model }: Recording) =>
  request_file?.endsWith('.json') === true &&
  response_file !== null &&
  connected.has(provider) &&
  model !== null;

// CI requires the large collection of recordings, but the collection is not part of the repository.
skipUnless(folder !== undefined, describe).each(Object.entries(endpoints))('recorded %s', (api, endpoint) => {
  const recordings = folder === undefined ? [] : loadRecordings(folder, api).filter(taken);

  it('recorded exchanges are forwarded byte for byte in each direction, except for the model prefix', async () => {
    expect(recordings.length).toBeGreaterThan(0);
    for (const recording of recordings) {
      const asked = bodyOf(recording, 'request').toString();
      const { model } = JSON.parse(asked) as { model?: unknown };
      if (typeof model !== 'string') continue;
      const body = bodyOf(recording, 'response');
      const type = recording.streaming ? 'text/event-stream' : 'application/json';
      replay.enqueue(null, { status: recording.status, headers: { 'content-type': type }, body });
      const renamed = asked.replace(JSON.stringify(model), JSON.stringify(`${recording.provider}/${model}`));
      const answer = await send(stack.baseUrl, { path: `/v1/${endpoint}`, key, body: renamed });
      expect([recording.id, answer.status]).toEqual([recording.id, recording.status]);
      expect(answer.bytes.equals(body)).toBe(true);
      expect(sent().body.toString()).toBe(asked);
    }
  });
});

describe('bad input', () => {
  const post = (path: string, body: unknown, headers = {}) =>
    send(stack.baseUrl, { path, key, body, headers });

  it.each([
    ['/v1/embeddings', { input: 'x' }, 400, 'missing_field'],
    ['/v1/embeddings', { model: 7 }, 400, 'invalid_field'],
    ['/v1/embeddings', '[]', 400, 'malformed_json'],
    ['/v1/embeddings', { model: 'svc/auto' }, 400, 'invalid_field'],
    ['/v1/embeddings', { model: 'nobody-has-this' }, 404, 'model_not_found'],
    ['/v1/embeddings', { model: 'together/x' }, 400, 'provider_not_connected'],
    ['/v1/ocr', { model: 'openai/gpt-4o' }, 400, 'endpoint_not_supported'],
    ['/v1/responses', { model: 'voyage/voyage-4' }, 400, 'endpoint_not_supported'],
  ])('%s %j: the gateway returns %i %s without a provider call', async (path, body, status, code) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ error: { code, source: 'gateway' } });
    expect(replay.requests).toHaveLength(0);
  });

  it('proxied endpoints reject session tokens, unsupported content types and invalid keys', async () => {
    const body = { model: 'openai/x', input: 'x' };
    expect((await post('/v1/embeddings', body, { 'content-type': 'text/plain' })).status).toBe(415);
    const session = { path: '/v1/embeddings', key: stack.dev.session_token ?? '', body };
    expect((await send(stack.baseUrl, session)).status).toBe(403);
    expect((await send(stack.baseUrl, { path: '/v1/embeddings', body })).status).toBe(401);
  });
});

describe('the log', () => {
  it('the log row of a proxied request has usage and cost, but no content', async () => {
    answerWith({ object: 'list', data: [], usage: { prompt_tokens: 1000, total_tokens: 1000 } });
    const body = { model: 'openai/text-embedding-3-small', input: 'a secret text' };
    const answer = await send(stack.baseUrl, { path: '/v1/embeddings', key, body });
    const row = await waitForRow(stack.baseUrl, key, requestIdOf(answer));
    expect(row).toMatchObject({
      endpoint: '/v1/embeddings',
      status: 'ok',
      provider: 'openai',
      model: 'text-embedding-3-small',
      requested_model: 'openai/text-embedding-3-small',
      prompt_tokens: 1000,
    });
    expect(row.cost_usd).toBeCloseTo(0.00002, 8);
    expect(JSON.stringify(row)).not.toContain('secret text');
  });

  it('an interrupted response is logged as interrupted, and the client notices the interruption', async () => {
    const headers = { 'content-type': 'audio/mpeg' };
    replay.enqueue(null, { status: 200, headers, body: Buffer.alloc(200_000), resetAtByte: 100_000 });
    const body = { model: 'openai/tts-1', voice: 'alloy', input: 'x' };
    await expect(send(stack.baseUrl, { path: '/v1/audio/speech', key, body })).rejects.toThrow();
  });
});
