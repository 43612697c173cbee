import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { recallOriginals } from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';
import { connectAs, eventually } from '../integration/stack.fixture.ts';
import {
  connectEachFormat,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
} from './account.fixture.ts';
import { connectAnthropic, thoughtful } from './anthropic.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import {
  anthropicClient,
  bedrockClient,
  openAiClient,
  type NetClient,
  type NetClientGiven,
  type Turn,
} from './sdk-clients.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';
import { scriptModel } from './scripted-model.fixture.ts';

const stack = sharedStack();
let provider: ReplayProvider;
let key: string;
let accountId: string;

beforeAll(async () => {
  provider = await startProvider();
  const account = await createTestAccount(stack);
  accountId = account.accountId;
  key = (await createTestKey(stack.baseUrl, account.apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectEachFormat(stack.baseUrl, key, provider.url);
  const body = { compression: { mode: 'balanced' } };
  await send(stack.baseUrl, { method: 'PUT', path: '/v1/account/routing/preferences', key, body });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const lanes: readonly (readonly [string, (given: NetClientGiven) => NetClient, model: string])[] = [
  ['OpenAI', openAiClient, 'openai/gpt-4o-mini'],
  ['Anthropic', anthropicClient, 'anthropic/claude-haiku-4-5'],
  ['Bedrock', bedrockClient, 'hosted/amazon.nova-lite-v1:0'],
  ['OpenAI SDK with an Anthropic provider', openAiClient, 'anthropic/claude-haiku-4-5'],
];

const unique = (): string => `id-${Math.random().toString(36).slice(2)}`;
/** A log of 400 similar lines, which the gateway compresses. */
const logOf = (id: string): string =>
  Array.from({ length: 400 }, (_, at) => `12:00:${at} served request ${at} of ${id} in ${at} ms`).join('\n');
const tools = githubTools.slice(0, 2);
const name = tools[0]!.function.name;
const conversation = (...logs: string[]): Turn[] => [
  { user: 'What does the log say?' },
  ...logs.map((text, at) => ({
    calls: [{ id: `c${at}`, name, arguments: {} }],
    results: [{ id: `c${at}`, text }],
  })),
];
const bodyAt = (at: number): string => provider.requests.at(at)!.body.toString('utf8');
const markerIn = (body: string): string => /left out: ([0-9a-f]{12})\]/.exec(body)?.[1] ?? '';
const done = { text: 'Done.' };

/**
 * Sends a conversation in which the model retrieves the omitted text of the first marker. Returns the text
 * that the model receives for the marker.
 */
async function recallBy(client: NetClient, turns: readonly Turn[]) {
  scriptModel(provider, [done]);
  await client.ask(turns, false);
  const id = markerIn(bodyAt(-1));
  provider.reset();
  const asks = { id: 'hidden1', name: 'svc_more_tools', arguments: { action: 'original', id } };
  scriptModel(provider, [{ calls: [asks] }, done]);
  const answer = await client.ask(turns, false);
  return { id, answer, first: bodyAt(0), afterRecovery: bodyAt(1) };
}

describe.each(lanes)('%s', (_, open, model) => {
  it('a model recovers omitted text byte for byte, and the client does not see the recovery', async () => {
    const client = open({ baseUrl: stack.baseUrl, key, model, tools });
    const id = unique();
    const log = logOf(id);
    const recalled = await recallBy(client, conversation(log));
    expect(recalled.id).not.toBe('');
    expect(recalled.first.includes(`served request 200 of ${id}`)).toBe(false);
    expect(recalled.first.includes('svc_more_tools')).toBe(true);
    const between = log.split('\n').slice(1, -1).join('\n');
    expect(recalled.afterRecovery.includes(JSON.stringify(between).slice(1, -1))).toBe(true);
    expect(recalled.answer.text).toBe('Done.');
    expect(recalled.answer.raw).not.toContain('svc_more_tools');
    expect(Number(recalled.answer.header('x-svc-ctx-tokens-saved'))).toBeGreaterThan(1_000);
  });
});

it('a model recovers nothing with markers from another conversation or with unknown ids', async () => {
  const client = openAiClient({ baseUrl: stack.baseUrl, key, model: 'openai/gpt-4o-mini', tools });
  const foreign = await recallBy(client, conversation(logOf(unique())));
  for (const id of [foreign.id, 'c0ffee5eed00', 'of anything']) {
    provider.reset();
    const asks = { id: 'hidden1', name: 'svc_more_tools', arguments: { action: 'original', id } };
    scriptModel(provider, [{ calls: [asks] }, done]);
    const own = [{ user: `Another session ${unique()}` }, ...conversation(logOf(unique())).slice(1)];
    expect((await client.ask(own, false)).text).toBe('Done.');
    expect(bodyAt(1)).toContain('Nothing is kept');
  }
});

describe('a request whose conversation was compressed', () => {
  it('the log row of a compressed conversation has the omitted text, the savings and the token counts', async () => {
    const body = {
      model: 'openai/gpt-4o',
      messages: [
        { role: 'user', content: `Look at ${unique()}` },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: logOf('x') },
      ],
      tools,
    };
    provider.enqueue(null, plainAnswer);
    const answer = await send(stack.baseUrl, { path: '/v1/chat/completions', key, body });
    const id = requestIdOf(answer);
    await waitForRow(stack.baseUrl, key, id);
    const row = await eventually(async () => {
      const read = await waitForRow(stack.baseUrl, key, id);
      return read.compression?.exact === null ? undefined : read;
    });
    expect(row.compression).toMatchObject({ decision: 'taken', rewritten_usd: 0, exact: { blocks: 1 } });
    expect(row.compression?.saved_usd).toBeGreaterThan(0);
    const { exact, omissions } = row.compression!;
    expect(exact!.tokens_before).toBeGreaterThan(exact!.tokens_after * 5);
    expect(omissions).toEqual([
      { marker: markerIn(bodyAt(-1)), original: logOf('x').split('\n').slice(1, -1).join('\n') },
    ]);
    expect(row.compression_steps.map(({ step }) => step)).toContain('log_folding');
    const edge = await connectAs(stack, 'edge-gateway');
    const ids = [omissions[0]!.marker];
    const session = 'ab'.repeat(32);
    expect(await edge.call(recallOriginals, { accountId, session, ids })).toEqual({ originals: [null] });
    await edge.close();
  });

  it('compression does not change a conversation with bound reasoning', async () => {
    const log = logOf(unique());
    const messages = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name, input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: log }] },
    ];
    const body = {
      model: 'anthropic/claude-fable-5-2',
      max_tokens: 100,
      thinking: { type: 'adaptive' },
      messages,
      tools: [{ name, input_schema: { type: 'object' } }],
    };
    provider.enqueue(null, {
      status: 200,
      body: JSON.parse(thoughtful),
      headers: { 'content-type': 'application/json' },
    });
    const answer = await send(stack.baseUrl, { path: '/v1/messages', key, body });
    expect(answer.status).toBe(200);
    const sent = JSON.parse(bodyAt(-1)) as typeof body;
    expect(sent.messages).toEqual(messages);
    expect(sent.tools).toEqual(body.tools);
    expect(answer.headers).not.toHaveProperty('x-svc-ctx-tokens-saved');
  });
});

describe('an edited body is valid for the SDK of its format', () => {
  const client = (open: (given: NetClientGiven) => NetClient, model: string) =>
    open({ baseUrl: stack.baseUrl, key, model, tools });
  const turns = conversation(
    logOf(unique()),
    JSON.stringify({ a: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, null, 8),
    logOf('x'),
  );

  /** Returns the body that the SDK sends directly to a provider. */
  async function again(sendAgain: () => Promise<unknown>): Promise<unknown> {
    scriptModel(provider, [done]);
    await sendAgain();
    return JSON.parse(bodyAt(-1));
  }

  it('an edited body is valid for OpenAI’s SDK', async () => {
    scriptModel(provider, [done]);
    await client(openAiClient, 'openai/gpt-4o-mini').ask(turns, false);
    const edited = JSON.parse(bodyAt(-1)) as OpenAI.ChatCompletionCreateParamsNonStreaming;
    const sdk = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'k', maxRetries: 0 });
    expect(await again(() => sdk.chat.completions.create(edited))).toEqual(edited);
    const results = edited.messages.filter(({ role }) => role === 'tool');
    expect(results.map((message) => 'tool_call_id' in message && message.tool_call_id)).toEqual([
      'c0',
      'c1',
      'c2',
    ]);
  });

  it('an edited body is valid for Anthropic’s SDK', async () => {
    scriptModel(provider, [done]);
    await client(anthropicClient, 'anthropic/claude-haiku-4-5').ask(turns, false);
    const edited = JSON.parse(bodyAt(-1)) as Parameters<
      ReturnType<typeof connectAnthropic>['messages']['create']
    >[0];
    const sdk = connectAnthropic(provider.url, 'k');
    expect(await again(async () => sdk.messages.create(edited))).toEqual(edited);
  });

  it('an edited body is valid for Bedrock’s SDK', async () => {
    scriptModel(provider, [done]);
    await client(bedrockClient, 'hosted/amazon.nova-lite-v1:0').ask(turns, false);
    const edited = JSON.parse(bodyAt(-1)) as object;
    // The replay provider supports only HTTP/1.1.
    const sdk = new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: provider.url,
      token: { token: 'k' },
      authSchemePreference: ['httpBearerAuth'],
      requestHandler: new NodeHttpHandler(),
    });
    const input = { ...edited, modelId: 'amazon.nova-lite-v1:0' };
    expect(await again(() => sdk.send(new ConverseCommand(input)))).toEqual(edited);
  });
});
