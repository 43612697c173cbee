/**
 * Tests that the gateway tries the account's fallback models in order. The gateway skips a fallback that
 * lacks a required capability.
 */
import { sharedStack, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestAccount, requestIdOf } from './account.fixture.ts';
import { untilEffective } from './governance.fixture.ts';
import { postChat } from './http.fixture.ts';
import { completion, plainAnswer, startProvider } from './provider.fixture.ts';
import { changePreferences } from './routed-providers.fixture.ts';

const stack = sharedStack();
/**
 * A model without image input and without reasoning. The catalogue lists a context window of 131,072 tokens for
 * the model.
 */
const limited = 'groq/llama-3.1-8b-instant';
const able = 'openrouter/a-model-of-tomorrow';
const json = { 'content-type': 'application/json' };
const failing: ReplayControls = {
  ...{ status: 503, headers: json },
  body: { error: { message: 'provider error', type: 'server_error', code: null, param: null } },
};
let server: ReplayProvider;
let key: string;

beforeEach(async () => {
  server = await startProvider();
  server.setControls(({ url }) => (url.startsWith('/openai/') ? failing : plainAnswer));
  key = (await createTestAccount(stack)).apiKey;
  for (const provider of ['openai', 'groq', 'openrouter']) {
    const base_url = `${server.url}/${provider}/v1`;
    await connectProvider(stack.baseUrl, key, { provider, api_key: `key-of-${provider}`, base_url });
  }
  await changePreferences(key, { fallbacks: [limited, able] });
  await untilEffective();
});
afterEach(() => server.close());

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const say = (content: unknown) => [{ role: 'user', content }];
const ask = (more: object) => postChat(stack.baseUrl, key, { model: 'openai/gpt-4o-mini', ...more });
const callsOf = (provider: string) =>
  server.requests.filter(({ url }) => url.startsWith(`/${provider}/`)).length;

it('fallbacks that can serve the request are tried in order', async () => {
  const answer = await ask({ messages: say('Hello!') });
  expect(answer).toMatchObject({ status: 200, headers: { 'x-svc-provider': 'groq' } });
  expect(answer.json()).toMatchObject({ choices: completion.choices });
  expect(callsOf('openrouter')).toBe(0);
});

it.each([
  ['images', { messages: say([{ type: 'text', text: 'What is it?' }, image]) }, 'no_images'],
  ['thinking', { messages: say('Hello!'), reasoning_effort: 'high' }, 'no_thinking'],
  ['a longer window', { messages: say('word '.repeat(200_000)) }, 'context_too_short'],
])(
  'a fallback that cannot serve the request is skipped, and the log contains the reason: %s',
  async (_, asked, rule) => {
    const answer = await ask(asked);
    expect(answer).toMatchObject({ status: 200, headers: { 'x-svc-provider': 'openrouter' } });
    expect(callsOf('groq')).toBe(0);
    const line = await eventually(() =>
      stack
        .logs('edge-gateway')
        .split('\n')
        .find((each) => each.includes(requestIdOf(answer)) && each.includes('fallbacks_skipped')),
    );
    expect(line).toContain(`"fallbacks_skipped":["${limited}: ${rule}"]`);
  },
);

it('if no fallback can serve the request, the provider’s own error is returned', async () => {
  await changePreferences(key, { fallbacks: [limited] });
  await untilEffective();
  const answer = await ask({ messages: say([image]) });
  expect(answer.status).toBe(503);
  expect(answer.text).toContain('provider error');
  expect(callsOf('groq')).toBe(0);
});
