import * as bedrock from '@aws-sdk/client-bedrock-runtime';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestKey } from './account.fixture.ts';
import { connectAnthropic, plainMessages, streamedMessages, thoughtful } from './anthropic.fixture.ts';
import {
  connectBedrock,
  plainConverse,
  readConverseStream,
  said,
  streamedConverse,
  streamedEvents,
  toConverseTool,
} from './bedrock.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import { plainAnswer, startProvider, streamedAnswer } from './provider.fixture.ts';
import { clear, messagesTools, names, namesReceivedBy, wanted } from './selection.fixture.ts';
import { connectOpenAi, openAccount } from './telemetry.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;

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
  const path = '/v1/account/routing/preferences';
  const body = { pruning: { recovery: false } };
  expect((await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body })).status).toBe(200);
  // The tool router ranks a new tool list by keywords until the vectors of its tools are ready.
  // Each format has its own tool list, so the setup waits for each format.
  for (const ask of [askOpenAi, askAnthropic, askBedrock]) {
    await eventually(async () => {
      await ask(false);
      return receivedNames().length < names.length / 2 || undefined;
    });
  }
}, 120_000);
afterEach(() => provider.reset());
afterAll(() => provider.close());

const receivedNames = (): string[] => namesReceivedBy(provider);

async function askOpenAi(stream: boolean): Promise<string> {
  provider.enqueue(null, stream ? streamedAnswer(['Hello', '.']) : plainAnswer);
  const call = {
    model: 'openai/gpt-4o',
    messages: [{ role: 'user' as const, content: clear }],
    tools: githubTools,
  };
  const client = connectOpenAi(key);
  if (!stream) return (await client.chat.completions.create(call)).choices[0]?.message.content ?? '';
  let text = '';
  for await (const { choices } of await client.chat.completions.create({ ...call, stream }))
    text += choices[0]?.delta.content ?? '';
  return text;
}

async function askAnthropic(stream: boolean) {
  provider.enqueue(null, stream ? streamedMessages() : plainMessages(thoughtful));
  const call = {
    model: 'anthropic/claude-sonnet-4-5',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: clear }],
    tools: messagesTools,
  };
  const client = connectAnthropic(baseUrl, key);
  return stream ? client.messages.stream(call).finalMessage() : client.messages.create(call);
}

async function askBedrock(stream: boolean): Promise<unknown> {
  provider.enqueue(null, stream ? streamedConverse(streamedEvents) : plainConverse(said));
  const client = connectBedrock(baseUrl, key);
  const call = {
    modelId: 'hosted/anthropic.claude-sonnet-4-5-20250929-v1:0',
    messages: [{ role: 'user' as const, content: [{ text: clear }] }],
    toolConfig: { tools: githubTools.map(toConverseTool) },
  };
  try {
    if (!stream) return await client.send(new bedrock.ConverseCommand(call));
    return await readConverseStream((await client.send(new bedrock.ConverseStreamCommand(call))).stream);
  } finally {
    client.destroy();
  }
}

describe('with each SDK, tools are pruned, the needed tool stays, and the SDK receives the provider’s response', () => {
  const expectPruned = (): void => {
    expect(receivedNames()).toContain(wanted);
    expect(receivedNames().length).toBeLessThan(names.length / 2);
  };

  it.each([false, true])(
    'OpenAI’s SDK: tools are pruned, and the needed tool stays, streamed: %s',
    async (stream) => {
      expect(await askOpenAi(stream)).toBe('Hello.');
      expectPruned();
    },
  );

  it.each([false, true])(
    'Anthropic’s SDK: tools are pruned, and the needed tool stays, streamed: %s',
    async (stream) => {
      expect((await askAnthropic(stream)).content.at(-1)).toMatchObject({ type: 'text' });
      expectPruned();
    },
  );

  it.each([false, true])(
    'Bedrock’s SDK: tools are pruned, and the needed tool stays, streamed: %s',
    async (stream) => {
      const streamed = { text: 'Hello, ü🌍.', thrown: undefined };
      expect(await askBedrock(stream)).toMatchObject(stream ? streamed : said);
      expectPruned();
    },
  );
});
