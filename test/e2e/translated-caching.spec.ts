import { loadCatalog } from '@gateway/model-catalog';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import {
  connectEachFormat,
  createTestAccount,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { plainMessages } from './anthropic.fixture.ts';
import { plainConverse, said } from './bedrock.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { call, onceEffective } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
let provider: ReplayProvider;
let account: TestAccount;

const claude = 'claude-opus-5-5';
const preferences = '/v1/account/routing/preferences';
const instructions = 'You help with repositories. '.repeat(100);
const asked = { role: 'user', content: 'Which issues are open?' };
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'list_issues', arguments: '{}' } }],
};
const found = { role: 'tool', tool_call_id: 'c1', content: 'Two issues are open.' };
const system = { role: 'system', content: instructions };
const chat = { tools: githubTools.slice(0, 20), messages: [system, asked] };
const next = { ...chat, messages: [...chat.messages, called, found] };
const usage = { input_tokens: 100, cache_creation_input_tokens: 6_000, output_tokens: 10 };

const answer = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: claude, stop_reason: 'end_turn' },
  content: [{ type: 'text', text: 'Done.' }],
};

async function openAccount(): Promise<TestAccount> {
  const opened = await createTestAccount(stack);
  await connectEachFormat(baseUrl, opened.apiKey, provider.url);
  await change(opened, { pruning: { mode: 'off' }, compression: { mode: 'off' } });
  return opened;
}

const change = ({ apiKey: key }: TestAccount, body: object) =>
  call(200, { method: 'PUT', path: preferences, key, body });

beforeAll(async () => {
  provider = await startProvider();
  account = await openAccount();
}, 60_000);
beforeEach(() =>
  provider.setControls(({ url }) => {
    if (url.includes('/converse')) return plainConverse(said);
    return url.endsWith('/messages') ? plainMessages({ ...answer, usage }) : plainAnswer;
  }),
);
afterEach(() => provider.reset());
afterAll(() => provider.close());

const paths = { chat: '/v1/chat/completions', messages: '/v1/messages' } as const;

/** Sends a request to the gateway. Returns the upstream request and the request id. */
async function ask(path: keyof typeof paths, body: object, { apiKey: key } = account) {
  const response = await send(baseUrl, { path: paths[path], key, body });
  expect(response.status).toBe(200);
  const received = JSON.parse(provider.requests.at(-1)!.body.toString('utf8')) as Record<string, unknown>;
  return { received, id: requestIdOf(response) };
}

/**
 * Returns the paths of all fields with the given name, in the order of the prompt. In the prompt, tools come
 * first, instructions second, and messages last.
 */
function placesOf(name: string, { tools, toolConfig, system: own, messages }: Record<string, unknown>) {
  const places: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (name in value) places.push(path);
    for (const [key, member] of Object.entries(value)) walk(member, `${path}.${key}`);
  };
  walk((toolConfig as { tools: unknown } | undefined)?.tools ?? tools, 'tools');
  walk(own, 'system');
  walk(messages, 'messages');
  return places;
}

/** Returns the prompt without its cache markers, with each text as one content block. */
function promptOf({ tools, system: own, messages }: Record<string, unknown>) {
  const blocks = (content: unknown) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const prompt = {
    ...{ tools, system: blocks(own) },
    messages: (messages as { role: string; content: unknown }[]).map(({ role, content }) => ({
      ...{ role, content: blocks(content) },
    })),
  };
  return JSON.parse(
    JSON.stringify(prompt, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  ) as { tools: unknown; system: unknown; messages: unknown[] };
}

describe('a chat-completions request to Claude', () => {
  it('Claude receives cache markers after tools, instructions and the last user message, and the prefix stays unchanged', async () => {
    const { received: first } = await ask('chat', { ...chat, model: `anthropic/${claude}` });
    expect(placesOf('cache_control', first)).toEqual(['tools.19', 'system.0', 'messages.0.content.0']);
    const { received: second } = await ask('chat', { ...next, model: `anthropic/${claude}` });
    expect(placesOf('cache_control', second)).toEqual([
      ...['tools.19', 'system.0', 'messages.0.content.0', 'messages.2.content.0'],
    ]);
    const [before, after] = [promptOf(first), promptOf(second)];
    expect(after).toMatchObject({ tools: before.tools, system: before.system });
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
  });

  it('a request with cache markers keeps these markers, and gets no additional markers', async () => {
    const marked = {
      ...asked,
      content: [{ type: 'text', text: asked.content, cache_control: { type: 'ephemeral' } }],
    };
    const { received } = await ask('chat', {
      ...chat,
      messages: [system, marked],
      model: `anthropic/${claude}`,
    });
    expect(placesOf('cache_control', received)).toEqual(['messages.0.content.0']);
  });

  it('the gateway adds no cache markers to a single turn without tools or to a short prompt', async () => {
    const model = `anthropic/${claude}`;
    const { received: single } = await ask('chat', { model, messages: chat.messages });
    const { received: short } = await ask('chat', {
      model,
      tools: chat.tools.slice(0, 1),
      messages: [asked],
    });
    expect([single, short].map((each) => placesOf('cache_control', each))).toEqual([[], []]);
  });

  it('cache writes are logged as a cost, and cache reads as a saving', async () => {
    const { input, cacheWrite, cacheRead, output } = loadCatalog().find('anthropic', claude)!.prices!;
    const { id: first } = await ask('chat', { ...chat, model: `anthropic/${claude}` });
    const written = await waitForRow(baseUrl, account.apiKey, first);
    expect(written.cost_usd).toBeCloseTo((100 * input + 6_000 * cacheWrite! + 10 * output) / 1e6, 10);
    expect(written).toMatchObject({ gross_savings_usd: 0 });
    expect(written.provider_savings_usd).toBeCloseTo((-6_000 * (cacheWrite! - input)) / 1e6, 10);
    const reads = { input_tokens: 100, cache_read_input_tokens: 6_000, output_tokens: 10 };
    provider.setControls(() => plainMessages({ ...answer, usage: reads }));
    const { id: second } = await ask('chat', { ...next, model: `anthropic/${claude}` });
    const read = await waitForRow(baseUrl, account.apiKey, second);
    expect(read.cost_usd).toBeCloseTo((100 * input + 6_000 * cacheRead! + 10 * output) / 1e6, 10);
    expect(read.provider_savings_usd).toBeCloseTo((6_000 * (input - cacheRead!)) / 1e6, 10);
  });
});

it('a messages request to Claude on the Converse API gets cache points', async () => {
  const tools = chat.tools.map(({ function: { name, description, parameters } }) => ({
    ...{ name, description, input_schema: parameters },
  }));
  const body = { max_tokens: 10, system: instructions, tools, messages: [asked] };
  const { received } = await ask('messages', { ...body, model: 'hosted/eu.anthropic.claude-opus-5-5' });
  expect(placesOf('cachePoint', received)).toEqual(['tools.20', 'system.1', 'messages.0.content.1']);
});

describe('a messages request to OpenAI', () => {
  const model = 'openai/gpt-4o-mini';
  const keyFor = async (words: string, turns: readonly object[] = [], owner = account) => {
    const messages = [{ role: 'user', content: words }, ...turns];
    const body = { max_tokens: 10, system: instructions.repeat(2), messages, model };
    return (await ask('messages', body, owner)).received['prompt_cache_key'];
  };

  it('all requests to OpenAI in one conversation have one cache key', async () => {
    const key = await keyFor('Hello');
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const turns = [
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'How are you?' },
    ];
    expect(await keyFor('Hello', turns)).toBe(key);
    const others = [await keyFor('Good morning'), await keyFor('Hello', [], await openAccount())];
    expect(new Set([key, ...others]).size).toBe(3);
  });

  it('a request to OpenAI has no cache key if the prompt is too short to be cached', async () => {
    const { received } = await ask('messages', { max_tokens: 10, messages: [asked], model });
    expect(received).not.toHaveProperty('prompt_cache_key');
  });
});

it('an account can turn cache markers and cache keys off', async () => {
  const frugal = await openAccount();
  await change(frugal, { caching: { markers: false } });
  await onceEffective(async () => {
    const { received } = await ask('chat', { ...chat, model: `anthropic/${claude}` }, frugal);
    expect(placesOf('cache_control', received)).toEqual([]);
    const body = {
      max_tokens: 10,
      system: instructions.repeat(2),
      messages: [asked],
      model: 'openai/gpt-4o-mini',
    };
    expect((await ask('messages', body, frugal)).received).not.toHaveProperty('prompt_cache_key');
  });
});
