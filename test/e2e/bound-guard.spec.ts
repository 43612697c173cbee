import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { connectEachFormat, createTestKey, type TestAccount } from './account.fixture.ts';
import { toMessagesTool } from './anthropic.fixture.ts';
import { asksToDrop, serveBoundModel } from './bound-model.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { openAccount } from './telemetry.fixture.ts';

const { baseUrl } = sharedStack();
const model = 'anthropic/claude-opus-5-5';
const messagesTools = githubTools.map(toMessagesTool);
/** Returns no tool name, so the scripted model calls no tool. */
const wants = (): undefined => undefined;

let provider: ReplayProvider;
let account: TestAccount;
let key: string;
let opened = 0;

beforeAll(async () => {
  provider = await startProvider();
  account = await openAccount(provider);
  key = (await createTestKey(baseUrl, account.apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectEachFormat(baseUrl, key, provider.url);
}, 120_000);
afterEach(() => provider.reset());
afterAll(() => provider.close());

describe('reasoning that the provider rejects', () => {
  /**
   * Starts a conversation, and then continues the conversation with a changed tool list. After the first
   * turn, the API key denies one of the tools, so the conversation's tools change.
   */
  async function afterChange(more: object = {}, headers: Record<string, string> = {}) {
    opened += 1;
    const served = serveBoundModel(provider, wants);
    const narrow = await createTestKey(baseUrl, account.apiKey, { name: `narrow ${opened}` });
    const ask = async (messages: readonly object[]) => {
      const body = { model, max_tokens: 4000, messages, tools: messagesTools, ...more };
      return send(baseUrl, { path: '/v1/messages', key: narrow.key, headers, body: JSON.stringify(body) });
    };
    const transcript: object[] = [{ role: 'user', content: `Say hello (${opened})` }];
    const answer = await ask(transcript);
    expect(answer.status).toBe(200);
    const { content } = answer.json() as { content: object[] };
    transcript.push({ role: 'assistant', content }, { role: 'user', content: 'And again' });
    const path = `/v1/account/keys/${narrow.id}/toollist`;
    const lists = { denied_tools: ['create_gist'], allowed_tools: null };
    expect((await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body: lists })).status).toBe(200);
    await eventually(async () => {
      const probe = await ask([{ role: 'user', content: 'Is the list in force?' }]);
      expect(probe.status).toBe(200);
      return !provider.requests.at(-1)!.body.includes('"create_gist"') || undefined;
    });
    return { served, ask, transcript };
  }

  it('the gateway removes rejected reasoning from this and later requests if the gateway may have changed the prefix', async () => {
    const { served, ask, transcript } = await afterChange();
    const before = provider.requests.length;
    const answer = await ask(transcript);
    expect(answer.status).toBe(200);
    const [rejected, accepted] = provider.requests.slice(before);
    expect(asksToDrop(rejected!)).toBe(false);
    expect(asksToDrop(accepted!)).toBe(true);
    expect(answer.json()).toMatchObject({
      input_transformations: [{ type: 'thinking_dropped', reason: 'prefix_binding_mismatch' }],
    });
    const { content } = answer.json() as { content: object[] };
    const next = [...transcript, { role: 'assistant', content }, { role: 'user', content: 'Once more' }];
    expect((await ask(next)).status).toBe(200);
    expect(provider.requests).toHaveLength(before + 3);
    expect(asksToDrop(provider.requests.at(-1)!)).toBe(true);
    expect(served.rules.violations).toHaveLength(1);
  });

  it('the gateway relays the rejection unchanged if the client set the mismatch behavior', async () => {
    const block_binding = { prefix_mismatch_behavior: 'error' };
    const { ask, transcript } = await afterChange(
      { thinking: { type: 'adaptive', block_binding } },
      { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' },
    );
    const before = provider.requests.length;
    const answer = await ask(transcript);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('bound to a different conversation');
    expect(provider.requests).toHaveLength(before + 1);
  });

  it('the gateway relays the rejection unchanged if the client changed the prefix', async () => {
    serveBoundModel(provider, wants);
    const few = messagesTools.slice(0, 6);
    const ask = (messages: readonly object[], tools: readonly object[]) => {
      const body = JSON.stringify({ model, max_tokens: 4000, messages, tools });
      return send(baseUrl, { path: '/v1/messages', key, body });
    };
    const begun = [{ role: 'user', content: 'Say something short' }];
    const { content } = (await ask(begun, few)).json() as { content: object[] };
    const next = [...begun, { role: 'assistant', content }, { role: 'user', content: 'More' }];
    const answer = await ask(next, few.slice(1));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('bound to a different conversation');
    expect(provider.requests).toHaveLength(2);
  });
});

it('a request that contains only new messages (`thread`) is rejected if the request must be translated for the model', async () => {
  const thread = { type: 'continue', previous_message_id: 'msg_1' };
  const messages = [{ role: 'user', content: 'And the next one?' }];
  const body = { model: 'openai/gpt-4o', max_tokens: 4000, thread, messages };
  const answer = await send(baseUrl, { path: '/v1/messages', key, body });
  expect(answer.status).toBe(400);
  expect(answer.json()).toMatchObject({ error: { details: { error_code: 'thread_unsupported_request' } } });
  expect(provider.requests).toEqual([]);
});
