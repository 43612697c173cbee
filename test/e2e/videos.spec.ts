/** Tests fetching generated videos from their providers. */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import OpenAI from 'openai';
import { connectProvider, createTestAccount, requestIdOf, waitForRow } from './account.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
let replay: ReplayProvider;
/** The replay server on a different origin. Some providers store their videos on a different origin. */
let storage: ReplayProvider;
let key: string;
beforeAll(async () => {
  [replay, storage] = [await startProvider(), await startProvider()];
  key = (await createTestAccount(stack)).apiKey;
  const paths = { openai: '/v1', xai: '/v1', together: '/v1', siliconflow: '/v1', google: '/v1beta' };
  for (const [provider, path] of Object.entries(paths)) {
    const base_url = `${replay.url}${path}`;
    await connectProvider(stack.baseUrl, key, { provider, api_key: `key-of-${provider}`, base_url });
  }
});
afterEach(() => [replay, storage].forEach((each) => each.reset()));
afterAll(() => Promise.all([replay.close(), storage.close()]));

const json = { 'content-type': 'application/json' };
const video = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 31) % 256));
const answerWith = (body: unknown, status = 200) => replay.enqueue(null, { status, headers: json, body });
const sent = () => replay.requests.at(-1)!;
const get = (id: string, part = '') =>
  send(stack.baseUrl, { method: 'GET', path: `/v1/videos/${encodeURIComponent(id)}${part}`, key });

it('the openai SDK retrieves a video and downloads its content', async () => {
  const openai = new OpenAI({ apiKey: key, baseURL: `${stack.baseUrl}/v1`, maxRetries: 0 });
  const state = { id: 'video_1', object: 'video', status: 'completed', model: 'sora-2', progress: 100 };
  answerWith(state);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- OpenAI is removing the endpoint, but clients still call it
  expect(await openai.videos.retrieve('video_1')).toEqual(state);
  expect(sent()).toMatchObject({
    method: 'GET',
    url: '/v1/videos/video_1',
    headers: { authorization: 'Bearer key-of-openai' },
  });
  replay.enqueue(null, { status: 200, headers: { 'content-type': 'video/mp4' }, body: video });
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- OpenAI is removing the endpoint, but clients still call it
  const content = await openai.videos.downloadContent('video_1', { variant: 'video' });
  expect(content.headers.get('content-type')).toBe('video/mp4');
  expect(Buffer.from(await content.arrayBuffer()).equals(video)).toBe(true);
  expect(sent().url).toBe('/v1/videos/video_1/content?variant=video');
});

it('the request log has a row without a model for a retrieved video', async () => {
  answerWith({ id: 'video_1', object: 'video', status: 'queued' });
  const answer = await get('video_1');
  expect(await waitForRow(stack.baseUrl, key, requestIdOf(answer))).toMatchObject({
    endpoint: '/v1/videos/{id}',
    status: 'ok',
    provider: 'openai',
  });
});

describe('the states of other providers', () => {
  const operation = 'models/veo-3.1/operations/op-1';
  it.each([
    ['xai/r-1', 'GET', '/v1/videos/r-1', { status: 'pending' }, 'in_progress'],
    ['xai/r-1', 'GET', '/v1/videos/r-1', { status: 'done', video: { url: 'https://x.test/v' } }, 'completed'],
    ['xai/r-1', 'GET', '/v1/videos/r-1', { status: 'expired' }, 'failed'],
    [
      'together/v-1',
      'GET',
      '/v2/videos/v-1',
      { id: 'v-1', object: 'video', status: 'completed' },
      'completed',
    ],
    ['siliconflow/s-1', 'POST', '/v1/video/status', { status: 'InQueue' }, 'queued'],
    [operation, 'GET', `/v1beta/${operation}`, { name: operation }, 'in_progress'],
    [operation, 'GET', `/v1beta/${operation}`, { name: operation, done: true, response: {} }, 'completed'],
    [operation, 'GET', `/v1beta/${operation}`, { name: operation, done: true, error: { code: 3 } }, 'failed'],
  ])('the video %s: %s %s returns %j, which means %s', async (id, method, url, state, status) => {
    answerWith(state);
    const answer = await get(id);
    expect([answer.status, sent().method, sent().url]).toEqual([200, method, url]);
    const own = id.replace(/^(xai|together|siliconflow)\//, '');
    expect(answer.json()).toEqual({ ...state, id: own, object: expect.any(String) as string, status });
    if (method === 'POST') expect(JSON.parse(sent().body.toString())).toEqual({ requestId: own });
  });

  it('a provider’s error keeps its status', async () => {
    answerWith({ error: { message: 'No such video.', type: 'invalid_request_error' } }, 404);
    const answer = await get('video_gone');
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ error: { message: 'No such video.' } });
  });
});

describe('the content at a URL', () => {
  it('the content of a video is fetched from another origin without the credential', async () => {
    answerWith({ status: 'done', video: { url: `${storage.url}/v.mp4` } });
    storage.enqueue(null, { status: 200, headers: { 'content-type': 'video/mp4' }, body: video });
    const answer = await get('xai/r-1', '/content');
    expect(answer.bytes.equals(video)).toBe(true);
    expect(storage.requests).toHaveLength(1);
    expect(JSON.stringify(storage.requests[0]!.headers)).not.toContain('key-of-xai');
  });

  it('the content is fetched from the provider with the credential, and redirects to other origins lack the credential', async () => {
    const uri = `${replay.url}/v1beta/files/f:download?alt=media`;
    const samples = { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } };
    answerWith({ name: 'models/veo-3.1/operations/1', done: true, response: samples });
    replay.enqueue(null, { status: 302, headers: { location: `${storage.url}/f.mp4` }, body: '' });
    storage.enqueue(null, { status: 200, headers: { 'content-type': 'video/mp4' }, body: video });
    const answer = await get('models/veo-3.1/operations/1', '/content');
    expect(answer.bytes.equals(video)).toBe(true);
    expect(sent()).toMatchObject({
      url: '/v1beta/files/f:download?alt=media',
      headers: { 'x-goog-api-key': 'key-of-google' },
    });
    expect(JSON.stringify(storage.requests[0]!.headers)).not.toContain('key-of-google');
  });

  it('the content is 404 until the video is finished', async () => {
    answerWith({ status: 'pending' });
    const answer = await get('xai/r-1', '/content');
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ error: { code: 'not_found', source: 'gateway' } });
  });
});

it.each([
  ['r-1', 400, 'ambiguous_model'],
  ['groq/r-1', 400, 'provider_not_connected'],
  ['vertex/r-1', 400, 'provider_not_connected'],
  ['../files/secret', 400, 'invalid_field'],
  ['xai/../models', 400, 'invalid_field'],
  ['video_1?x=1', 400, 'invalid_field'],
  ['x'.repeat(600), 400, 'invalid_field'],
])('%s: returns %i %s without a provider call', async (id, status, code) => {
  const answer = await get(id);
  expect(answer.status).toBe(status);
  expect(answer.json()).toMatchObject({ error: { code, source: 'gateway' } });
  expect(replay.requests).toHaveLength(0);
});

it('retrieving a video requires an API key', async () => {
  const answer = await send(stack.baseUrl, { method: 'GET', path: '/v1/videos/video_1' });
  expect(answer.status).toBe(401);
});
