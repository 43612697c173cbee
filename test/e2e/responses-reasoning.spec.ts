/**
 * Tests encrypted reasoning on the Responses API. A model gets its own earlier reasoning back, even if the
 * client's format cannot carry it. A model never receives reasoning from a different provider.
 */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount } from './account.fixture.ts';
import { openAgent, type Agent, type AgentAnswer } from './agent-clients.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { callOf, json, messageOf, renderResponse, responseOf } from './openai-responses.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { renderTurn } from './scripted-model.fixture.ts';

type Members = Record<string, unknown>;

const stack = sharedStack();
const { baseUrl } = stack;
const model = 'openai/gpt-6.2-sol';
/** A tool list that is too short to prune. */
const tools = githubTools.slice(0, 2);
const name = tools[0]!.function.name;

let provider: ReplayProvider;
let key: string;
let otherKey: string;
beforeAll(async () => {
  provider = await startProvider();
  [key, otherKey] = await Promise.all([connectAccount(), connectAccount()]);
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

async function connectAccount(): Promise<string> {
  const { apiKey } = await createTestAccount(stack);
  const base_url = `${provider.url}/v1`;
  for (const each of ['openai', 'anthropic'])
    await connectProvider(baseUrl, apiKey, { provider: each, api_key: 'upstream-key', base_url });
  return apiKey;
}

const reasoningOf = (text: string): Members => ({
  ...{ id: `rs_${text}`, type: 'reasoning', summary: [{ type: 'summary_text', text }] },
  encrypted_content: `gAAAA-${text}`,
});

/** Makes the provider return the output lists in order, one per request. */
function script(...outputs: readonly (readonly Members[])[]): void {
  const left = [...outputs];
  provider.setControls(({ body }) => {
    const output = left.shift();
    if (output === undefined)
      return { status: 500, headers: json, body: { error: { message: 'no output' } } };
    return renderResponse(
      responseOf(output),
      (JSON.parse(body.toString('utf8')) as Members)['stream'] === true,
    );
  });
}

/** The reasoning items in the newest provider request. */
function sentReasoning(): unknown[] {
  const { input } = JSON.parse(provider.requests.at(-1)!.body.toString('utf8')) as { input: Members[] };
  return input.flatMap((item, at) =>
    item['type'] === 'reasoning' ? [[item['encrypted_content'], input[at + 1]?.['type'] ?? 'message']] : [],
  );
}

interface Conversation {
  readonly agent: Agent;
  readonly messages: readonly object[];
}

/** Runs a conversation with three turns. The model first calls a tool, then writes text, then answers a question. */
async function converse(stream: boolean): Promise<Conversation> {
  const agent = openAgent('chat-completions', { baseUrl, key, model });
  script(
    [reasoningOf('one'), callOf('call_1', name, '{"at": 1}')],
    [reasoningOf('two'), messageOf('It is done now.')],
  );
  const opening = [agent.user(`List the open issues. ${Math.random()}`)];
  const called = await agent.ask(opening, { stream, tools });
  const second = [...opening, called.message, ...agent.results(called, 'three issues')];
  const said: AgentAnswer = await agent.ask(second, { stream, tools });
  expect([said.said, sentReasoning()]).toEqual(['It is done now.', [['gAAAA-one', 'function_call']]]);
  return { agent, messages: [...second, said.message, agent.user('Thanks. And now?')] };
}

const options = { stream: false, tools };

describe.each([
  ['plain', false],
  ['streamed', true],
])('reasoning of a chat-completions client, %s', (_how, stream) => {
  it('the model gets the reasoning of every earlier turn, in front of the item that follows the reasoning', async () => {
    const { agent, messages } = await converse(stream);
    script([messageOf('Nothing more.')]);
    const answer = await agent.ask(messages, options);
    expect([answer.status, sentReasoning()]).toEqual([
      200,
      [
        ['gAAAA-one', 'function_call'],
        ['gAAAA-two', 'message'],
      ],
    ]);
    expect(answer.header('x-svc-losses')).toBeNull();
  });
});

it('reasoning behind an edited message, other tools or another answer is not sent', async () => {
  const { agent, messages } = await converse(false);
  const ask = async (changed: readonly object[], given = tools) => {
    script([messageOf('Nothing more.')]);
    expect((await agent.ask(changed, { stream: false, tools: given })).status).toBe(200);
    return sentReasoning();
  };
  const edited = messages.map((message) => ({ ...message }));
  Object.assign(edited[2]!, { content: 'four issues' });
  expect(await ask(edited)).toEqual([['gAAAA-one', 'function_call']]);
  expect(await ask([agent.user('Hello.'), ...messages])).toEqual([]);
  expect(await ask(messages, githubTools.slice(0, 3))).toEqual([]);
  expect(await ask(messages)).toHaveLength(2);
});

it('another account or model gets no reasoning of the conversation', async () => {
  const { messages } = await converse(false);
  const others = [
    { baseUrl, key: otherKey, model },
    { baseUrl, key, model: 'openai/gpt-6.2-astra' },
  ];
  for (const given of others) {
    script([messageOf('Nothing more.')]);
    expect((await openAgent('chat-completions', given).ask(messages, options)).status).toBe(200);
    expect(sentReasoning()).toEqual([]);
  }
});

/** Sends a request to a Claude model through the Responses API. The output contains Anthropic's signed reasoning. */
async function askClaude(input: readonly object[]): Promise<Members[]> {
  const blocks = [{ kind: 'reasoning', text: 'Hm, Rome.', signature: 'EqQBCg==' }] as const;
  provider.setControls(renderTurn('messages', { text: 'Rome.' }, false, { style: 'blocks', blocks }));
  const body = { model: 'anthropic/claude-sonnet-4-5', max_output_tokens: 2000, input };
  const answer = await send(baseUrl, { path: '/v1/responses', key, body });
  const { output } = answer.json() as { output: Members[] };
  expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  expect(output[0]!['encrypted_content']).toMatch(/^gateway\./);
  return output;
}

describe.each([
  ['off', false],
  ['on', true],
])('a Responses client that changes from Claude to OpenAI, with planning turned %s', (_how, plan) => {
  beforeAll(async () => {
    const path = '/v1/account/routing/preferences';
    const answer = await send(baseUrl, { method: 'PUT', path, key, body: { responses: { plan } } });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['short', 1],
    ['long', 400_000],
  ])(
    'OpenAI gets no reasoning that only Anthropic can read, in a %s conversation',
    async (_length, count) => {
      const opening = [{ role: 'user', content: 'Where? '.repeat(count) }];
      const output = await askClaude(opening);
      script([messageOf('Rome it is.')]);
      const own = reasoningOf('own');
      const input = [...opening, ...output, own, messageOf('Yes.'), { role: 'user', content: 'Sure?' }];
      const body = { model, store: false, input };
      const answer = await send(baseUrl, { path: '/v1/responses', key, body });
      expect(answer.status).toBe(200);
      const sent = JSON.parse(provider.requests.at(-1)!.body.toString('utf8')) as Members;
      const kept = input.filter((item) => item !== output[0]);
      expect(sent).toEqual({ ...body, model: 'gpt-6.2-sol', input: kept });
    },
  );
});
