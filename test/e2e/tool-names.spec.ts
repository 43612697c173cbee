/**
 * Tests tool names that the provider's format does not allow. The provider receives a valid substitute for each
 * of these names. The client receives only the tool names that it sent.
 */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectProvider, createTestAccount, waitForRow } from './account.fixture.ts';
import { connectAnthropic } from './anthropic.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const stack = sharedStack();
let replay: ReplayProvider;
let key: string;
beforeAll(async () => {
  replay = await startProvider();
  key = (await createTestAccount(stack)).apiKey;
  await connectProvider(stack.baseUrl, key, {
    provider: 'openai',
    api_key: 'openai-key',
    base_url: `${replay.url}/v1`,
  });
});
afterEach(() => replay.reset());
afterAll(() => replay.close());

/**
 * Anthropic accepts tool names of up to 128 characters, and OpenAI accepts only 64 characters. The test's
 * tool names differ only at the end, like the tool names of an MCP server.
 */
const server = `mcp__plugin_${'issue_tracker_'.repeat(5)}_`;
const tools = ['get_issue', 'list_issues', 'close_issue'].map((name) => ({
  name: `${server}_${name}`,
  description: name.replace('_', ' '),
  input_schema: { type: 'object' as const, properties: { number: { type: 'integer' } } },
}));

interface Sent {
  readonly stream?: boolean;
  readonly tools: { function: { name: string; description: string } }[];
  readonly tool_choice: unknown;
  readonly messages: { tool_calls?: { function: { name: string } }[] }[];
}

/** A provider response that calls the tool `get_issue` by its upstream name. */
function answer({ body }: { body: Buffer }) {
  const { stream, tools: upstreamTools } = JSON.parse(body.toString()) as Sent;
  const name = upstreamTools.find(({ function: each }) => each.description === 'get issue')!.function.name;
  const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: '{"number":7}' } };
  const said = { role: 'assistant', content: null, tool_calls: [call] };
  const rest = { id: 'chatcmpl-1', created: 1, model: 'gpt-4o-mini' };
  if (stream !== true) {
    const choices = [{ index: 0, message: said, finish_reason: 'tool_calls' }];
    return {
      status: 200,
      body: { ...rest, object: 'chat.completion', choices },
      headers: { 'content-type': 'application/json' },
    };
  }
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ ...rest, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const frames = `${chunk(said, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
  return { status: 200, body: frames, headers: { 'content-type': 'text/event-stream' } };
}

it.each(['plain', 'streamed'])(
  'the official SDK receives a call with the client’s own tool name: %s',
  async (kind) => {
    replay.setControls(answer);
    const { messages } = connectAnthropic(stack.baseUrl, key);
    const name = `${server}_get_issue`;
    const request = {
      ...{
        model: 'openai/gpt-4o-mini',
        max_tokens: 100,
        tools,
        tool_choice: { type: 'tool' as const, name },
      },
      messages: [
        { role: 'user' as const, content: 'Show me issue 6.' },
        {
          role: 'assistant' as const,
          content: [{ type: 'tool_use' as const, id: 'call_0', name, input: { number: 6 } }],
        },
        {
          role: 'user' as const,
          content: [{ type: 'tool_result' as const, tool_use_id: 'call_0', content: 'Issue 6.' }],
        },
      ],
    };
    const { data, response } =
      kind === 'plain'
        ? await messages.create(request).withResponse()
        : await messages
            .stream(request)
            .withResponse()
            .then(async ({ data: stream, response: head }) => ({
              data: await stream.finalMessage(),
              response: head,
            }));
    expect(data.content).toEqual([expect.objectContaining({ type: 'tool_use', name, input: { number: 7 } })]);
    const sent = JSON.parse(replay.requests.at(-1)!.body.toString()) as Sent;
    const upstreamName = sent.tools.find(({ function: each }) => each.description === 'get issue')!.function
      .name;
    expect(new Set(sent.tools.map(({ function: each }) => each.name)).size).toBe(sent.tools.length);
    for (const { function: each } of sent.tools) expect(each.name).toMatch(/^[\w-]{1,64}$/);
    expect(sent.tool_choice).toEqual({ type: 'function', function: { name: upstreamName } });
    expect(sent.messages.flatMap(({ tool_calls: calls = [] }) => calls)).toMatchObject([
      { function: { name: upstreamName } },
    ]);
    const row = await waitForRow(stack.baseUrl, key, response.headers.get('x-request-id') ?? '');
    expect(JSON.stringify(row)).not.toContain(upstreamName);
  },
);
