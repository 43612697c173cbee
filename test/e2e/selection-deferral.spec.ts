import type Anthropic from '@anthropic-ai/sdk';
import { requestLogEntry } from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { createTestKey, waitForRow, type TestAccount } from './account.fixture.ts';
import { connectAnthropic, plainMessages } from './anthropic.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';
import { clear, messagesTools, names, wanted } from './selection.fixture.ts';
import { connectOpenAi, openAccount } from './telemetry.fixture.ts';

const { baseUrl } = sharedStack();
const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };

interface SentTool {
  readonly name: string;
  readonly defer_loading?: boolean;
}

let provider: ReplayProvider;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  provider = await startProvider();
  account = await openAccount(provider);
  key = (await createTestKey(baseUrl, account.apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  const path = '/v1/account/routing/preferences';
  const body = { pruning: { native: ['deferred_loading', 'allowed_tools'] } };
  expect((await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body })).status).toBe(200);
  // The tool router and the compressor have not cached the tool list yet, so planning may miss its deadline.
  await eventually(async () => (await askMessages()).some(({ defer_loading }) => defer_loading) || undefined);
  await eventually(async () => (await askChat(clear)).tool_choice !== undefined || undefined);
}, 120_000);
afterEach(() => provider.reset());
afterAll(() => provider.close());

const bodies = (): string[] => provider.requests.map(({ body }) => body.toString());
const lastBody = (): string => bodies().at(-1) ?? '';
const toolsIn = (body: string): SentTool[] => (JSON.parse(body) as { tools: SentTool[] }).tools;
const deferredIn = (tools: readonly SentTool[]): string[] =>
  tools.flatMap(({ name, defer_loading }) => (defer_loading === true ? [name] : []));

const call = {
  model: 'anthropic/claude-sonnet-4-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: clear }],
  tools: messagesTools,
};

async function askMessages(
  more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {},
  apiKey = key,
): Promise<SentTool[]> {
  provider.enqueue(null, plainMessages(messageOf([{ type: 'text', text: 'Done.' }])));
  await connectAnthropic(baseUrl, apiKey).messages.create({ ...call, ...more });
  return toolsIn(lastBody());
}

const messageOf = (content: readonly object[]): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content,
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 20 },
});

/** Claude's response when it finds a deferred tool and calls it. */
function foundAndCalled(name: string): object[] {
  return [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: search.name, input: { query: 'star' } },
    {
      type: 'tool_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: name }],
      },
    },
    { type: 'tool_use', id: 'toolu_1', name, input: {} },
  ];
}

function streamOf(content: readonly object[]): string {
  const { stop_reason: reason, ...message } = messageOf([]) as { stop_reason: string };
  const blocks = content.flatMap((block, index) => [
    ['content_block_start', { index, content_block: block }],
    ['content_block_stop', { index }],
  ]);
  const events = [
    ['message_start', { message: { ...message, stop_reason: null } }],
    ...blocks,
    ['message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 20 } }],
    ['message_stop', {}],
  ] as const;
  return events
    .map(
      ([type, fields]) =>
        `event: ${type as string}\ndata: ${JSON.stringify({ type, ...(fields as object) })}\n\n`,
    )
    .join('');
}

interface SentChat {
  readonly tools: readonly { function: { name: string } }[];
  readonly tool_choice?: {
    type: string;
    allowed_tools: { mode: string; tools: { function: { name: string } }[] };
  };
}

async function askChat(content: string, tool_choice?: 'required'): Promise<SentChat> {
  provider.enqueue(null, plainAnswer);
  await connectOpenAi(key).chat.completions.create({
    model: 'openai/gpt-5.2',
    messages: [{ role: 'user' as const, content }],
    tools: githubTools,
    ...(tool_choice === undefined ? {} : { tool_choice }),
  });
  return JSON.parse(lastBody()) as SentChat;
}

describe('Claude’s deferred loading', () => {
  it('with deferred loading, Claude receives every tool, the planned tools are loaded, and no recovery tool is offered', async () => {
    const sent = await askMessages();
    expect(sent.map(({ name }) => name)).toEqual([...names, search.name]);
    expect(sent.at(-1)).toEqual(search);
    const deferred = deferredIn(sent);
    expect(deferred).not.toContain(wanted);
    expect(deferred.length).toBeGreaterThan(names.length / 2);
  });

  it.each([false, true])(
    'calls to tools that Claude discovered are forwarded unchanged and logged (streamed: %s)',
    async (stream) => {
      const name = deferredIn(await askMessages())[0]!;
      const said = foundAndCalled(name);
      const plain = plainMessages(messageOf(said));
      provider.enqueue(
        null,
        stream ? { ...plain, body: streamOf(said), headers: { 'content-type': 'text/event-stream' } } : plain,
      );
      const client = connectAnthropic(baseUrl, key);
      const asked = stream
        ? client.messages.stream(call).withResponse()
        : client.messages.create(call).withResponse();
      const { data, response } = await asked;
      const message = 'finalMessage' in data ? await data.finalMessage() : data;
      expect(message.content).toMatchObject(said);
      // The model receives a deferred tool only after it finds the tool with a search.
      const loaded = names.length - deferredIn(toolsIn(bodies().at(-1)!)).length;
      expect(response.headers.get('x-svc-prune-ratio')).toBe(`${loaded}/${names.length}`);
      expect(response.headers.get('x-svc-routing')).toBeNull();
      const row = await waitForRow(baseUrl, key, response.headers.get('x-request-id')!);
      expect(row).toMatchObject({
        status: 'ok',
        tools_in: names.length,
        tools_out: loaded + 1,
        estimated_tokens_saved: (names.length - loaded - 1) * 100,
      });
      expect(row.tool_tokens_saved).toBeGreaterThan(0);
      await expectAlert(name);
    },
  );

  it('the tool list keeps every byte while the transcript contains the discovered tools', async () => {
    const first = await askMessages();
    const name = deferredIn(first)[0]!;
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'done' };
    const after = (content: readonly object[]): Anthropic.MessageParam[] => [
      ...call.messages,
      { role: 'assistant', content: content as Anthropic.ContentBlockParam[] },
      { role: 'user', content: [result] },
    ];
    const again = await askMessages({ messages: after(foundAndCalled(name)) });
    expect(deferredIn(again)).toEqual(deferredIn(first));
    expect(JSON.stringify(again) === JSON.stringify(first)).toBe(true);
    // If the client drops the search results of a tool call, the gateway sends the called tool without deferral.
    const loaded = await askMessages({ messages: after(foundAndCalled(name).slice(2)) });
    expect(deferredIn(loaded)).toEqual(deferredIn(first).filter((each) => each !== name));
  });

  it('deferral never sends a denied tool upstream', async () => {
    const [denied = ''] = deferredIn(await askMessages());
    const narrow = await createTestKey(baseUrl, account.apiKey, { name: 'narrow' });
    const path = `/v1/account/keys/${narrow.id}/toollist`;
    const lists = { denied_tools: [wanted, denied], allowed_tools: null };
    expect((await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body: lists })).status).toBe(200);
    await eventually(async () => {
      const sent = await askMessages({}, narrow.key);
      expect(sent.map(({ name }) => name)).not.toContain(wanted);
      expect(lastBody()).not.toContain(`"${denied}"`);
      return deferredIn(sent).length > 0 || undefined;
    });
  });

  it('the gateway sends a request again without deferral if the provider rejects deferral', async () => {
    provider.enqueue(null, {
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message: 'tool_search' } },
      headers: { 'content-type': 'application/json' },
    });
    const sent = await askMessages();
    expect(sent.map(({ name }) => name)).toEqual(names);
    expect(deferredIn(sent)).toEqual([]);
    expect(deferredIn(toolsIn(bodies()[0]!)).length).toBeGreaterThan(0);
  });

  it('deferral is not used for a provider that uses another format', async () => {
    provider.enqueue(null, plainAnswer);
    await connectAnthropic(baseUrl, key).messages.create({ ...call, model: 'openai/gpt-4o' });
    expect(lastBody()).not.toContain('defer_loading');
    expect(lastBody()).not.toContain(search.name);
  });
});

/** Waits for a recall alert about the given tool. */
async function expectAlert(tool: string): Promise<void> {
  await eventually(async () => {
    const path = '/v1/account/tools/recall-alerts?limit=200';
    const answer = await send(baseUrl, { path, key: account.apiKey });
    const { data } = answer.json() as { data: { tool: string; detected_by: string }[] };
    return data.some((alert) => alert.tool === tool && alert.detected_by === 'recovery') || undefined;
  });
}

describe('OpenAI’s allowed tools', () => {
  const allowedIn = ({ tool_choice }: SentChat): string[] =>
    (tool_choice?.allowed_tools.tools ?? []).map((tool) => tool.function.name);

  it('OpenAI’s allowed tools name the planned tools, while the tool list stays complete and unchanged', async () => {
    const branch = await askChat(clear);
    expect(branch.tools.map((tool) => tool.function.name)).toEqual(names);
    expect(branch.tool_choice).toMatchObject({ type: 'allowed_tools', allowed_tools: { mode: 'auto' } });
    expect(allowedIn(branch)).toContain(wanted);
    expect(allowedIn(branch).length).toBeLessThan(names.length);
    const star = await askChat('Please star the repository facebook/react', 'required');
    expect(star.tool_choice?.allowed_tools.mode).toBe('required');
    expect(allowedIn(star)).not.toEqual(allowedIn(branch));
    expect(star.tools).toEqual(branch.tools);
  });

  it('OpenAI’s allowed tools save no tokens, and the log reports no savings', async () => {
    provider.enqueue(null, plainAnswer);
    const messages = [{ role: 'user' as const, content: clear }];
    const { response } = await connectOpenAi(key)
      .chat.completions.create({ model: 'openai/gpt-5.2', messages, tools: githubTools })
      .withResponse();
    expect(response.headers.get('x-svc-prune-ratio')).toBe(`${names.length}/${names.length}`);
    const row = requestLogEntry.parse(await waitForRow(baseUrl, key, response.headers.get('x-request-id')!));
    expect(row.estimated_tokens_saved).toBe(0);
  });
});
