import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectEachFormat, createTestAccount, createTestKey, waitForRow } from './account.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import {
  deliveries,
  describeTools,
  question,
  recoveryToolName,
  shownCall,
  throughRecovery,
  wanted,
} from './recovery-cases.fixture.ts';
import {
  anthropicClient,
  bedrockClient,
  openAiClient,
  type HeardAnswer,
  type NetClient,
  type NetClientGiven,
  type Turn,
} from './sdk-clients.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { scriptModel, type ModelTurn } from './scripted-model.fixture.ts';

const stack = sharedStack();
let provider: ReplayProvider;
let key: string;

beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(stack);
  key = (await createTestKey(stack.baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectEachFormat(stack.baseUrl, key, provider.url);
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const bodies = (): string[] => provider.requests.map(({ body }) => body.toString('utf8'));

/** Clients of each format, each with a provider of either the same format or a different format. */
const clients: readonly (readonly [string, ClientCase])[] = [
  ['OpenAI', { open: openAiClient, model: 'openai/gpt-4o-mini', recoveryMode: 'in_place' }],
  // The test uses Sonnet 4.5, because Haiku 4.5 does not cache prefixes as short as the test's prefix.
  [
    'Anthropic',
    { open: anthropicClient, model: 'anthropic/claude-sonnet-4-5', cached: true, recoveryMode: 'in_place' },
  ],
  [
    'Anthropic, not cached',
    { open: anthropicClient, model: 'anthropic/claude-haiku-4-5', recoveryMode: 'regrown' },
  ],
  [
    'Bedrock',
    { open: bedrockClient, model: 'hosted/amazon.nova-lite-v1:0', cached: true, recoveryMode: 'in_place' },
  ],
  [
    'Bedrock, not cached',
    { open: bedrockClient, model: 'hosted/amazon.nova-lite-v1:0', recoveryMode: 'regrown' },
  ],
  ['OpenAI → messages', { open: openAiClient, model: 'anthropic/claude-haiku-4-5', recoveryMode: 'regrown' }],
  [
    'Anthropic → chat-completions',
    { open: anthropicClient, model: 'openai/gpt-4o-mini', recoveryMode: 'in_place' },
  ],
  [
    'Bedrock → chat-completions',
    { open: bedrockClient, model: 'openai/gpt-4o-mini', recoveryMode: 'in_place' },
  ],
];

interface ClientCase {
  readonly open: (given: NetClientGiven) => NetClient;
  readonly model: string;
  readonly cached?: boolean;
  /**
   * The expected recovery mode, which is `in_place` if the provider caches the prompt prefix, and `regrown`
   * otherwise.
   */
  readonly recoveryMode: 'in_place' | 'regrown';
}

const tools = githubTools;
const ask = (client: NetClient, stream: boolean, turns: readonly Turn[] = [{ user: question }]) =>
  client.ask(turns, stream);

function script(...turns: ModelTurn[]): void {
  scriptModel(provider, turns);
}

const describeWanted = describeTools('hidden1', wanted);
const callWanted = throughRecovery('shown1');

function definitionsIn(body: string): string {
  const parsed = JSON.parse(body) as { tools?: unknown; toolConfig?: { tools: unknown } };
  return JSON.stringify(parsed.tools ?? parsed.toolConfig?.tools);
}

function expectClean(answer: HeardAnswer): void {
  expect(answer.raw).not.toContain(recoveryToolName);
  expect(answer.raw).not.toContain('hidden1');
}

describe.each(clients)('%s', (_, { open, model, cached = false, recoveryMode }) => {
  describe.each(deliveries)('%s', (_delivery, stream) => {
    it('a pruned tool is described and called, and the client receives an ordinary call', async () => {
      const client = open({ baseUrl: stack.baseUrl, key, model, tools, cached });
      script(
        { text: 'Let me see. ', calls: [describeWanted], inputTokens: 1000, outputTokens: 20 },
        { text: 'Now then.', calls: [callWanted], inputTokens: 1500, outputTokens: 30 },
      );
      const answer = await ask(client, stream);

      expect(answer.calls).toEqual([shownCall]);
      expect(answer.text.replace(/\s+/g, ' ')).toBe('Let me see. Now then.');
      expect(answer).toMatchObject({ inputTokens: 1500, outputTokens: 50 });
      expectClean(answer);

      const [first = '', second = ''] = bodies();
      expect(provider.requests).toHaveLength(2);
      expect(first).toContain(recoveryToolName);
      expect(first).not.toContain('Create a new gist');
      expect(second).toContain('Create a new gist');
      expect(definitionsIn(second) === definitionsIn(first)).toBe(recoveryMode === 'in_place');
    });
  });

  it('the next upstream request contains the model’s original call and the tools of the recovery mode', async () => {
    const client = open({ baseUrl: stack.baseUrl, key, model, tools, cached });
    script({ calls: [callWanted] }, { text: 'Done.' });
    const called = await ask(client, false);
    const results = called.calls.map(({ id }) => ({ id, text: '{"id":1}' }));
    const answer = await ask(client, false, [{ user: question }, { calls: called.calls, results }]);

    expect(answer.text).toBe('Done.');
    const [first = '', second = ''] = bodies();
    const messages = JSON.stringify((JSON.parse(second) as { messages: unknown }).messages);
    expect(messages).toMatch(
      new RegExp(`"name":"${recoveryMode === 'in_place' ? recoveryToolName : wanted}"`),
    );
    expect(messages.includes(recoveryToolName)).toBe(recoveryMode === 'in_place');
    expect(definitionsIn(second) === definitionsIn(first)).toBe(recoveryMode === 'in_place');
  });
});

it.each(deliveries)(
  'a header and the request log report the recovery, and every round is billed: %s',
  async (_delivery, stream) => {
    const client = openAiClient({ baseUrl: stack.baseUrl, key, model: 'openai/gpt-4o-mini', tools });
    script(
      { calls: [describeWanted], inputTokens: 1000, outputTokens: 20 },
      { calls: [callWanted], inputTokens: 1500, outputTokens: 30 },
    );
    const answer = await ask(client, stream);
    expect(answer.header('x-svc-recovered')).toBe('1');
    const toolsOut = Number(answer.header('x-svc-tools-output'));
    // The response header counts the tools in the first provider call, plus the tool that the recovery tool described.
    const listed = (JSON.parse(bodies()[0]!) as { tools: unknown[] }).tools.length;
    expect(toolsOut).toBe(listed + 1);
    const row = await waitForRow(stack.baseUrl, key, answer.header('x-request-id')!);
    expect(row).toMatchObject({
      status: 'ok',
      tools_offered: tools.length,
      tools_out: toolsOut,
      prompt_tokens: 2500,
      completion_tokens: 50,
    });
  },
);
