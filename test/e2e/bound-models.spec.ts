import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestKey, requestIdOf, waitForRow } from './account.fixture.ts';
import { plainMessages, thoughtful, toMessagesTool } from './anthropic.fixture.ts';
import { plainConverse, said } from './bedrock.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';
import { openAccount } from './telemetry.fixture.ts';

const { baseUrl } = sharedStack();
const clear = 'Create a branch called login-fix in acme/widgets';
const names = githubTools.map((tool) => tool.function.name);
const messagesTools = githubTools.map(toMessagesTool);
const converseTools = githubTools.map(({ function: { name, description, parameters } }) => ({
  toolSpec: { name, description, inputSchema: { json: parameters ?? {} } },
}));

let provider: ReplayProvider;
let key: string;

beforeAll(async () => {
  provider = await startProvider();
  const account = await openAccount(provider);
  key = (await createTestKey(baseUrl, account.apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectProvider(baseUrl, key, {
    provider: 'hosted',
    api_key: 'upstream-key',
    base_url: provider.url,
  });
  // The router has not seen this list before, so the plan may miss its deadline.
  const messages = [{ role: 'user', content: clear }];
  await eventually(async () => {
    provider.enqueue(null, plainAnswer);
    const answer = await postChat(baseUrl, key, { model: 'openai/gpt-4o', messages, tools: githubTools });
    return Number(answer.headers['x-svc-tools-output']) < names.length || undefined;
  });
}, 120_000);
afterEach(() => provider.reset());
afterAll(() => provider.close());

const lastBody = (): string => provider.requests.at(-1)!.body.toString();

it('a conversation with bound reasoning is sent unchanged from its first turn on', async () => {
  const tools = JSON.stringify(messagesTools, null, 1);
  const first = `{"role":"user", "content":${JSON.stringify(clear)}}`;
  const signed = `{"role":"assistant","content":[{"type":"thinking","thinking":"h\\u006dm","signature":"Eq\\/B=="},{"type":"text","text":"Where?"}]}`;
  const thinking = `"thinking":{"type":"enabled","budget_tokens":2000}`;
  const second = `"messages":[${first},${signed},{"role":"user","content":"There."}]`;
  const turns = [
    `"messages":[${first}],${thinking}`,
    `${second},${thinking}`,
    // These models reason without the field too, and sign what they reason.
    `"messages":[${first}]`,
    second,
    // Reasoning is now off, but its signatures are still in the transcript.
    `${second},"thinking":{"type":"disabled"}`,
  ];
  for (const turn of turns) {
    const rest = `,"max_tokens":4000,${turn},"tools":${tools}}`;
    provider.enqueue(null, plainMessages(thoughtful));
    const body = `{"model":"anthropic/claude-opus-5-5"${rest}`;
    const answer = await send(baseUrl, { path: '/v1/messages', key, body });
    expect(answer.status).toBe(200);
    expect(lastBody()).toBe(`{"model":"claude-opus-5-5"${rest}`);
    const row = await waitForRow(baseUrl, key, requestIdOf(answer));
    expect(row).toMatchObject({
      k_reason: 'bound_thinking',
      tools_in: names.length,
      tools_out: names.length,
    });
  }
});

it('on Converse as well, where the first turn does not mention reasoning', async () => {
  const body = {
    messages: [{ role: 'user', content: [{ text: clear }] }],
    toolConfig: { tools: converseTools },
  };
  provider.enqueue(null, plainConverse(said));
  const path = `/model/${encodeURIComponent('hosted/us.anthropic.claude-opus-5-5')}/converse`;
  const answer = await send(baseUrl, { path, key, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  expect(JSON.parse(lastBody())).toEqual(body);
  const row = await waitForRow(baseUrl, key, requestIdOf(answer));
  expect(row).toMatchObject({ k_reason: 'bound_thinking', tools_out: names.length });
});

it('a model that binds reasoning is planned as usual where no reasoning can come back', async () => {
  const rest = {
    model: 'anthropic/claude-haiku-5-5',
    max_tokens: 4000,
    messages: [{ role: 'user', content: clear }],
  };
  const expectPruned = async (path: string, body: object) => {
    provider.enqueue(null, plainMessages(thoughtful));
    const answer = await send(baseUrl, { path, key, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    const row = await waitForRow(baseUrl, key, requestIdOf(answer));
    expect(row.k_reason).not.toBe('bound_thinking');
    expect(row.tools_out).toBeLessThan(names.length);
  };
  await expectPruned('/v1/messages', { ...rest, tools: messagesTools, thinking: { type: 'disabled' } });
  await expectPruned('/v1/chat/completions', { ...rest, tools: githubTools });
});
