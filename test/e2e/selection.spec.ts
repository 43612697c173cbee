import { sharedStack, type ReceivedRequest, type ReplayProvider } from '@gateway/testing';
import { Redis } from 'ioredis';
import type OpenAI from 'openai';
import { eventually } from '../integration/stack.fixture.ts';
import {
  connectProvider,
  createTestKey,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { edgeUrl, tightLimits } from './edges.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';
import { clear, names, namesReceivedBy, wanted } from './selection.fixture.ts';
import { connectOpenAi, enqueueCall, openAccount } from './telemetry.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;

let provider: ReplayProvider;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  provider = await startProvider();
  account = await openAccount(provider);
  key = (await createTestKey(baseUrl, account.apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectProvider(baseUrl, key, {
    provider: 'hosted',
    api_key: 'upstream-key',
    base_url: provider.url,
  });
  await setPreferences({ pruning: { recovery: false } });
  // The tool router and the compressor have not cached the tool lists yet, so planning may miss its deadline.
  await eventually(async () => (await askChat(githubTools)).length < names.length || undefined);
  await eventually(async () => (await askChat(githubTools.slice(0, 60))).length < 60 || undefined);
}, 120_000);
afterEach(() => provider.reset());
afterAll(() => provider.close());

async function setPreferences(body: object): Promise<void> {
  const path = '/v1/account/routing/preferences';
  const answer = await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body });
  expect(answer.status).toBe(200);
}

const received = (): ReceivedRequest => provider.requests.at(-1)!;

const receivedNames = (): string[] => namesReceivedBy(provider);

/**
 * Returns the tools in the upstream request as raw bytes. The tests send the tools as the last field of the
 * body.
 */
function receivedTools(): string {
  const text = received().body.toString();
  return text.slice(text.indexOf('"tools":'));
}

async function askChat(
  tools: readonly object[],
  messages: readonly object[] = [{ role: 'user', content: clear }],
) {
  provider.enqueue(null, plainAnswer);
  const answer = await postChat(baseUrl, key, { model: 'openai/gpt-4o', messages, tools });
  expect(answer.status).toBe(200);
  return receivedNames();
}

it('a call by name to a pruned tool is delivered, and all later requests include the tool', async () => {
  const pruned = names.find((name) => !['get_me', wanted].includes(name) && !isForwarded(name))!;
  enqueueCall(provider, pruned);
  const client = connectOpenAi(key);
  const opening: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: clear }];
  const call = { model: 'openai/gpt-4o', tools: githubTools };
  const { choices } = await client.chat.completions.create({ ...call, messages: opening });
  const said = choices[0]!.message;
  expect(said.tool_calls).toMatchObject([{ function: { name: pruned, arguments: '{}' } }]);
  const result = { role: 'tool' as const, tool_call_id: 'call_1', content: 'done' };
  expect(await askChat(githubTools, [...opening, said, result])).toContain(pruned);
});

it('an agent’s basic tools and the tools that its instructions name are forwarded, also if the instructions change', async () => {
  const pruned = names.find((name) => name.includes('_') && name !== wanted && !isForwarded(name))!;
  const basic = ['bash', 'read', 'edit'].map((name) => ({
    type: 'function',
    function: { name, description: `The ${name} tool.`, parameters: { type: 'object', properties: {} } },
  }));
  const tools = [...githubTools, ...basic];
  const messages = [
    { role: 'system', content: `Read AGENTS.md first. Call ${pruned} before each commit.` },
    { role: 'user', content: clear },
  ];
  const ask = async (asked: readonly object[]): Promise<string[]> => {
    await askChat(tools, asked);
    const sent = JSON.parse(received().body.toString()) as { tools: typeof basic };
    return sent.tools.map((tool) => tool.function.name);
  };
  const sent = await eventually(async () => {
    const forwarded = await ask(messages);
    return forwarded.length < tools.length ? forwarded : undefined;
  });
  expect(sent).toEqual(expect.arrayContaining([wanted, pruned, 'bash', 'read', 'edit']));
  // When the agent resumes the session, it sends different instructions.
  const resumed = [
    { role: 'system', content: 'On branch main, with 3 changed files.' },
    ...messages.slice(1),
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Thanks, go on.' },
  ];
  expect(await ask(resumed)).toEqual(sent);
  // A new session of the agent gets the same tools, although its instructions also contain the date.
  const { content } = messages[0]!;
  const renewed = [{ role: 'system', content: `${content} Today is 2026-11-27.` }, ...messages.slice(1)];
  expect(await ask(renewed)).toEqual(sent);
});

const isForwarded = (() => {
  let forwarded: Set<string> | undefined;
  beforeAll(async () => {
    forwarded = new Set(await askChat(githubTools));
  });
  return (name: string): boolean => forwarded?.has(name) ?? true;
})();

/**
 * Returns the messages of an agent loop with occasional user messages. After the first turn, the agent makes
 * `steps` calls to the needed tool.
 */
function conversation(steps: number): object[] {
  const turns = Array.from({ length: steps }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `c${at}`, type: 'function', function: { name: wanted, arguments: `{"branch":"b${at}"}` } },
      ],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: `{"ref":"refs/heads/b${at}"}` },
    ...(at % 4 === 3
      ? [
          { role: 'assistant', content: 'Shall I go on?' },
          { role: 'user', content: 'Yes, go on' },
        ]
      : []),
  ]);
  return [{ role: 'user', content: `${clear}, and some more` }, ...turns.flat()];
}

it('the forwarded tools are identical byte for byte over 20 turns', async () => {
  const seen = new Set<string>();
  for (let steps = 0; steps < 20; steps += 1) {
    await askChat(githubTools, conversation(steps));
    seen.add(receivedTools());
  }
  expect(seen.size).toBe(1);
  expect(receivedNames().length).toBeLessThan(names.length);
});

it('if the stored plan is deleted during a conversation, another replica still sends identical tool lists', async () => {
  const tools = githubTools.slice(0, 60);
  expect(JSON.stringify(tools).length).toBeLessThan(tightLimits.requestBodyBytesMax);
  for (let steps = 0; steps < 4; steps += 1) await askChat(tools, conversation(steps));
  const before = receivedTools();
  const redis = new Redis(stack.dev.redis_cache_url);
  const kept = await redis.keys('session:v2:*');
  expect(kept.length).toBeGreaterThan(0);
  await redis.del(kept);
  redis.disconnect();
  // The second replica's compressor may not have the compressed tool definitions yet.
  await eventually(async () => {
    provider.enqueue(null, plainAnswer);
    const body = { model: 'openai/gpt-4o', messages: conversation(4), tools };
    const answer = await postChat(edgeUrl(stack, 'tight'), key, body);
    expect(answer.status).toBe(200);
    return receivedTools() === before || undefined;
  });
});

it('a greeting sends all tools, the next turn chooses the tool set, and log and trace show the reasons', async () => {
  const greeting = [{ role: 'user', content: 'Hi there!' }];
  const task = [...greeting, { role: 'assistant', content: 'Hello.' }, { role: 'user', content: clear }];
  const reasons: (string | null)[][] = [];
  const sent: string[][] = [];
  for (const messages of [greeting, task]) {
    provider.enqueue(null, plainAnswer);
    const answer = await postChat(baseUrl, key, { model: 'openai/gpt-4o', messages, tools: githubTools });
    expect(answer.status).toBe(200);
    sent.push(receivedNames());
    const { k_reason, trace } = await waitForRow(baseUrl, key, requestIdOf(answer));
    reasons.push([k_reason, trace.k_reason]);
  }
  expect(reasons).toEqual([
    ['uncertain', 'uncertain'],
    ['decided', 'decided'],
  ]);
  expect(sent[0]).toEqual(names);
  expect(sent[1]).toContain(wanted);
  expect(sent[1]!.length).toBeLessThan(names.length);
});

it('tool lists and overrides apply together', async () => {
  const narrow = await createTestKey(baseUrl, account.apiKey, { name: 'narrow', k_target_override: 3 });
  const path = `/v1/account/keys/${narrow.id}/toollist`;
  const lists = { denied_tools: [wanted], allowed_tools: [wanted, ...names.slice(0, 40)] };
  const set = await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body: lists });
  expect(set.status).toBe(200);
  const answer = await eventually(async () => {
    provider.enqueue(null, plainAnswer);
    const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: clear }], tools: githubTools };
    const each = await postChat(baseUrl, narrow.key, body);
    expect(receivedNames()).not.toContain(wanted);
    return each.headers['x-svc-prune-ratio'] === `3/${names.length}` ? each : undefined;
  });
  expect(receivedNames()).toHaveLength(3);
  expect(names.slice(0, 40)).toEqual(expect.arrayContaining(receivedNames()));
  const row = await waitForRow(baseUrl, account.apiKey, requestIdOf(answer));
  expect(row).toMatchObject({ k: 3, k_reason: 'override', tools_in: 39, tools_out: 3 });
});

it('if the tool router is killed during a request, all tools are sent after the deadline, and a later request is planned', async () => {
  const router = stack.service('tool-router');
  await router.kill('SIGSTOP');
  provider.enqueue(null, plainAnswer);
  const asked = postChat(baseUrl, key, {
    model: 'openai/gpt-4o',
    messages: [{ role: 'user', content: clear }],
    tools: githubTools,
  });
  await router.kill('SIGKILL');
  const answer = await asked;
  await router.start();
  expect(answer.status).toBe(200);
  expect(receivedNames()).toEqual(names);
  const row = await waitForRow(baseUrl, key, requestIdOf(answer));
  expect(row.k_reason).toMatch(/^(timeout|unavailable)$/);
  const opening = [
    { role: 'user', content: clear },
    { role: 'assistant', content: 'From which branch?' },
  ];
  const later = await eventually(async () => {
    const sent = await askChat(githubTools, [...opening, { role: 'user', content: 'From main' }]);
    return sent.length < names.length ? sent : undefined;
  });
  expect(later).toContain(wanted);
});
