/** Tests complete tool loops on the Responses API, with each client and each upstream format. */
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { connectProvider, createTestAccount, createTestKey } from './account.fixture.ts';
import { imageBase64 } from './pairs.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import {
  prompt,
  runAgentsSdk,
  runAiSdk,
  runCodex,
  runOpenAi,
  type LoopGiven,
  type LoopResult,
} from './responses-clients.fixture.ts';
import {
  scriptUpstream,
  upstreamPaths,
  upstreams,
  type UpstreamTurn,
} from './responses-upstreams.fixture.ts';
import { anthropicClient, bedrockClient, openAiClient, type Turn } from './sdk-clients.fixture.ts';

const { baseUrl, ...stack } = sharedStack();

let provider: ReplayProvider;
let key: string;
let client: OpenAI;
beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount({ ...stack, baseUrl });
  key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  for (const [name, path] of Object.entries(upstreamPaths)) {
    const base_url = provider.url + path;
    await connectProvider(baseUrl, key, { provider: name, api_key: 'upstream-key', base_url });
  }
  client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const sandbox = 'sandbox/sandbox-1';
const models = [...Object.values(upstreams), sandbox];
const cases = models.flatMap((model) => [
  { model, stream: false },
  { model, stream: true },
]);
const sentBodies = (): string[] => provider.requests.map(({ body }) => body.toString('utf8'));

const weatherTurns: readonly UpstreamTurn[] = [
  {
    ...{ thinking: 'Rome it is.', text: 'One moment.' },
    calls: [
      { id: 'call_1', name: 'get_weather', arguments: { city: 'Rome' } },
      { id: 'call_2', name: 'get_weather', arguments: { city: 'Oslo' } },
    ],
  },
  { text: 'The result of get_weather is: 18 °C in Rome' },
];

interface Loop {
  readonly sdk: string;
  readonly run: (given: LoopGiven) => Promise<LoopResult>;
  /** On chat-completions, the SDKs drop fields that OpenAI does not define, such as Gemini's signatures. */
  readonly dropsSignatures?: true;
}

const dropsSignatures = true;
const loops: readonly Loop[] = [
  { sdk: 'OpenAI’s SDK', run: runOpenAi },
  { sdk: 'OpenAI’s Agents SDK', run: runAgentsSdk },
  { sdk: 'the Vercel AI SDK', run: runAiSdk },
  {
    sdk: 'OpenAI’s Agents SDK on chat-completions',
    run: (given) => runAgentsSdk(given, 'chat-completions'),
    dropsSignatures,
  },
  {
    sdk: 'the Vercel AI SDK on chat-completions',
    run: (given) => runAiSdk(given, 'chat-completions'),
    dropsSignatures,
  },
];

describe.each(loops)('a tool loop with $sdk', ({ run, dropsSignatures: isLenient }) => {
  it.each(cases)('a tool loop works with $model (stream: $stream)', async ({ model, stream }) => {
    const violations = scriptUpstream(provider, weatherTurns, isLenient);
    const { text, calls } = await run({ baseUrl, key, model, stream });
    expect(violations).toEqual([]);
    expect(text).toBe('The result of get_weather is: 18 °C in Rome');
    const cities = model === sandbox ? ['Rome'] : ['Rome', 'Oslo'];
    expect(calls).toEqual(cities.map((city) => `get_weather {"city":"${city}"}`));
    if (model === sandbox) return;
    const [, last = ''] = sentBodies();
    for (const sent of [prompt, 'One moment.', '18 °C in Rome', '18 °C in Oslo'])
      expect(last).toContain(sent);
  });
});

const patch = '*** Begin Patch\n*** Add File: a.txt\n+"x" \\ ü\n*** End Patch';
const command = '{"command":["cat","a.txt"]}';

it.each(models)('a tool loop like the loop of Codex works with %s', async (model) => {
  const violations = scriptUpstream(provider, [
    { thinking: 'A patch.', calls: [{ id: 'call_1', name: 'apply_patch', input: patch }] },
    { calls: [{ id: 'call_2', name: 'shell', arguments: { command: ['cat', 'a.txt'] } }] },
    { text: 'The patch is applied.' },
  ]);
  const { text, calls } = await runCodex({ baseUrl, key, model });
  expect(violations).toEqual([]);
  if (model === sandbox) {
    expect(calls).toEqual(['apply_patch Apply the patch to a.txt']);
    expect(text).toBe('The result of apply_patch is: Done.');
    return;
  }
  expect(calls).toEqual([`apply_patch ${patch}`, `shell ${command}`]);
  expect(text).toBe('The patch is applied.');
  // The first request contains the patch tool's grammar, and the next request contains the model's patch.
  expect(sentBodies()[0]).toContain('*** Begin Patch');
  expect(sentBodies()[1]).toContain('Add File: a.txt');
});

it.each(cases)('OpenAI’s SDK calls custom tools of $model (stream: $stream)', async ({ model, stream }) => {
  const violations = scriptUpstream(provider, [
    { calls: [{ id: 'call_1', name: 'apply_patch', input: patch }] },
    { text: 'The result of apply_patch is: Done.' },
  ]);
  const tools = [{ type: 'custom' as const, name: 'apply_patch', description: 'Applies a patch.' }];
  const ask = (input: ResponseInput) =>
    stream
      ? client.responses.stream({ model, input, tools, store: false, stream: true }).finalResponse()
      : client.responses.create({ model, input, tools, store: false });
  const question = { role: 'user' as const, content: 'Apply the patch' };
  const called = await ask([question]);
  const call = called.output.find((item) => item.type === 'custom_tool_call');
  const input = model === sandbox ? 'Apply the patch' : patch;
  expect(call).toMatchObject({ type: 'custom_tool_call', name: 'apply_patch', input });
  const call_id = (call as OpenAI.Responses.ResponseCustomToolCall).call_id;
  const result = { type: 'custom_tool_call_output' as const, call_id, output: 'Done.' };
  const done = await ask([question, ...(called.output as ResponseInput), result]);
  expect(violations).toEqual([]);
  expect(done.output_text).toBe('The result of apply_patch is: Done.');
});

const forecast = z.object({ city: z.string(), degrees: z.int() });

it.each(cases)(
  'structured output and images work with $model (stream: $stream)',
  async ({ model, stream }) => {
    const violations = scriptUpstream(provider, [{ text: '{"city":"Rome","degrees":18}' }]);
    const request = {
      ...{ model, store: false, text: { format: zodTextFormat(forecast, 'forecast') } },
      input: [
        {
          role: 'user' as const,
          content: [
            { type: 'input_text' as const, text: 'Which city is it?' },
            {
              ...{ type: 'input_image' as const, detail: 'auto' as const },
              image_url: `data:image/png;base64,${imageBase64}`,
            },
          ],
        },
      ],
    };
    const response = stream
      ? await client.responses.stream({ ...request, stream: true }).finalResponse()
      : await client.responses.parse(request);
    expect(violations).toEqual([]);
    expect(forecast.parse(response.output_parsed)).toEqual(response.output_parsed);
    if (model === sandbox) return;
    expect(response.output_parsed).toEqual({ city: 'Rome', degrees: 18 });
    expect(sentBodies()[0]).toContain(imageBase64);
  },
);

describe.each([
  ['OpenAI’s SDK', openAiClient],
  ['Anthropic’s SDK', anthropicClient],
  ['the AWS SDK', bedrockClient],
] as const)('%s with a model that accepts tools only on the Responses API', (_sdk, open) => {
  it.each([false, true])('the SDK runs the same tool loop (stream: %s)', async (stream) => {
    const violations = scriptUpstream(provider, weatherTurns);
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }];
    const agent = open({ baseUrl, key, model: upstreams.responses, tools });
    const turns: Turn[] = [{ user: prompt }];
    const called = await agent.ask(turns, stream);
    expect(called.calls).toEqual(weatherTurns[0]?.calls);
    turns.push({ calls: called.calls, results: called.calls.map(({ id }) => ({ id, text: '18 °C' })) });
    const done = await agent.ask(turns, stream);
    expect(violations).toEqual([]);
    expect(done.text).toBe(weatherTurns[1]?.text);
    expect(provider.requests.map(({ url }) => url)).toEqual(['/v1/responses', '/v1/responses']);
  });
});
