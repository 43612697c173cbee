import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { minifyJson } from '../../apps/compressor/src/compress-blocks/steps/minify-json.ts';
import {
  connectEachFormat,
  connectProvider,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
} from './account.fixture.ts';
import { plainMessages, thoughtful } from './anthropic.fixture.ts';
import { plainConverse, said } from './bedrock.fixture.ts';
import {
  chatConversation,
  converseConversation,
  messagesConversation,
  result,
  type Conversation,
} from './conversations.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { send, type Answer } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
let provider: ReplayProvider;
let key: string;
beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(stack);
  key = (await createTestKey(stack.baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectEachFormat(stack.baseUrl, key, provider.url);
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const answers = new Map([
  [chatConversation, plainAnswer],
  [messagesConversation, plainMessages(JSON.parse(thoughtful))],
  [converseConversation, plainConverse(said)],
]);

/** Sends a request and waits for the complete response. Returns the upstream request. */
async function ask(conversation: Conversation, body: unknown, baseUrl = stack.baseUrl) {
  provider.enqueue(null, answers.get(conversation));
  const answer: Answer = await send(baseUrl, { path: conversation.path, key, body });
  expect(answer.status).toBe(200);
  const bytes = provider.requests.at(-1)!.body;
  return { answer, bytes, results: conversation.resultsIn(JSON.parse(bytes.toString('utf8'))) };
}

const unique = (): string => `id-${Math.random().toString(36).slice(2)}`;

describe.each([chatConversation, messagesConversation, converseConversation])('$name', (conversation) => {
  it('compression shortens tool results in tokens, and sends the compressed bytes again in later turns', async () => {
    const [one, two] = [result(unique()), result(unique())];
    const before = await ask(conversation, conversation.body([one]));
    expect(before.results).toEqual([minifyJson(one)]);
    const after = await ask(conversation, conversation.body([one, two]));
    expect(after.results).toEqual([minifyJson(one), minifyJson(two)]);
    const shared = before.bytes.lastIndexOf(Buffer.from(before.results[0]!.slice(-8).replace(/"/g, '\\"')));
    expect(shared).toBeGreaterThan(0);
    expect(after.bytes.subarray(0, shared)).toEqual(before.bytes.subarray(0, shared));
  });

  it('compression replaces a repeated tool result with a reference to the first occurrence', async () => {
    const one = result(unique());
    const { results } = await ask(conversation, conversation.body([one, one]));
    expect(results[0]).toBe(minifyJson(one));
    expect(results[1]).toMatch(/^\[same as above: "\{/);
  });
});

it('response headers and request log report the savings of each compression step', async () => {
  const { answer } = await ask(chatConversation, chatConversation.body([result(unique())]));
  const read = (name: string): number => Number(answer.headers[`x-svc-ctx-tokens-${name}`]);
  expect(read('saved')).toBeGreaterThan(20);
  expect(read('in') - read('out')).toBe(read('saved'));
  const row = await waitForRow(stack.baseUrl, key, requestIdOf(answer));
  const step = row.compression_steps.find(({ step: name }) => name === 'minify_json');
  expect(step && step.tokens_before - step.tokens_after).toBe(read('saved'));
  expect(row.compression_tokens_saved).toBeGreaterThanOrEqual(read('saved'));
});

it('compression makes an identical decision on another replica, from Redis or by recomputation', async () => {
  const results = [result(unique()), `${'x'.repeat(40)}\n`.repeat(30), result(unique())];
  const here = await ask(chatConversation, chatConversation.body(results));
  const there = await ask(chatConversation, chatConversation.body(results), edgeUrl(stack, 'tight'));
  expect(there.bytes).toEqual(here.bytes);
  const later = [...results, result(unique())];
  const laterThere = await ask(chatConversation, chatConversation.body(later), edgeUrl(stack, 'tight'));
  const laterHere = await ask(chatConversation, chatConversation.body(later));
  expect(laterThere.bytes).toEqual(laterHere.bytes);
  expect(laterHere.results.slice(0, 3)).toEqual(here.results);
});

it('compression does not change content before the client’s cache marker', async () => {
  const results = [result(unique()), result(unique()), result(unique())];
  const sent = await ask(messagesConversation, messagesConversation.body(results, 1));
  expect(sent.results).toEqual([results[0], results[1], minifyJson(results[2]!)]);
});

it('compression does not change a request without tools', async () => {
  const body = chatConversation.body([result(unique())]);
  delete body['tools'];
  const sent = await ask(chatConversation, body);
  expect(JSON.parse(sent.bytes.toString('utf8'))).toEqual({ ...body, model: 'gpt-4o' });
});

it('content that is not compressed keeps every byte', async () => {
  const text = result(unique());
  const body = JSON.stringify(chatConversation.body([text]), null, 3);
  const { bytes } = await ask(chatConversation, body);
  const expected = body
    .replace('openai/gpt-4o', 'gpt-4o')
    .replace(JSON.stringify(text), () => JSON.stringify(minifyJson(text)));
  const [start] = expected.split('"tools":');
  expect(bytes.toString('utf8').startsWith(start!)).toBe(true);
});

it('the account’s compression mode applies to the requests of the account', async () => {
  const { apiKey } = await createTestAccount(stack);
  const ownKey = key;
  key = apiKey;
  await connectProvider(stack.baseUrl, key, {
    provider: 'openai',
    api_key: 'upstream-key',
    base_url: `${provider.url}/v1`,
  });
  const choose = (compression: object) =>
    send(stack.baseUrl, {
      method: 'PUT',
      path: '/v1/account/routing/preferences',
      key,
      body: { compression },
    });
  const text = result(unique());
  const withoutTools = chatConversation.body([text]);
  delete withoutTools['tools'];
  await choose({ mode: 'off', apply_without_tools: true });
  expect((await ask(chatConversation, chatConversation.body([text]))).results).toEqual([text]);
  expect((await ask(chatConversation, withoutTools)).results).toEqual([text]);
  await choose({ mode: 'lossless', apply_without_tools: true });
  expect((await ask(chatConversation, withoutTools)).results).toEqual([minifyJson(text)]);
  await choose({ mode: 'balanced' });
  const tables = await ask(chatConversation, chatConversation.body([text]));
  expect(tables.results[0]!.length).toBeLessThan(minifyJson(text).length);
  key = ownKey;
});
