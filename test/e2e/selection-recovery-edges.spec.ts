import { sharedStack, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import {
  connectEachFormat,
  connectProvider,
  createTestAccount,
  createTestKey,
  waitForRow,
  type CreatedKey,
} from './account.fixture.ts';
import { githubTools, type FunctionTool } from './github-tools.fixture.ts';
import { send } from './http.fixture.ts';
import {
  deliveries,
  given,
  question as user,
  recoveryToolName,
  shownCall,
  wanted,
} from './recovery-cases.fixture.ts';
import {
  anthropicClient,
  bedrockClient,
  openAiClient,
  type HeardAnswer,
  type NetClient,
} from './sdk-clients.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { renderTurn, scriptModel, type ModelTurn } from './scripted-model.fixture.ts';

const stack = sharedStack();
let provider: ReplayProvider;
let accountKey: string;
let key: CreatedKey;
const newKey = (name: string): Promise<CreatedKey> =>
  createTestKey(stack.baseUrl, accountKey, { name, rate_limit_rpm: 10_000 });

beforeAll(async () => {
  provider = await startProvider();
  accountKey = (await createTestAccount(stack)).apiKey;
  key = await newKey('fast');
  await connectEachFormat(stack.baseUrl, accountKey, provider.url);
});
afterEach(() => provider.reset());
afterAll(() => provider.close());
const model = 'openai/gpt-4o-mini';

const bodies = (): string[] => provider.requests.map(({ body }) => body.toString('utf8'));
const toolsIn = (body: string | undefined): { function: FunctionTool['function'] }[] =>
  (JSON.parse(body ?? '{}') as { tools?: { function: FunctionTool['function'] }[] }).tools ?? [];
const namesIn = (body: string | undefined): string[] => toolsIn(body).map((tool) => tool.function.name);
const script = (...turns: (ModelTurn | ReplayControls)[]): void => scriptModel(provider, turns);
const open = (apiKey = key.key, tools: readonly FunctionTool[] = githubTools): NetClient =>
  openAiClient({ baseUrl: stack.baseUrl, key: apiKey, model, tools });

const describeTool = (...names: string[]) => ({
  id: `hidden_${names.join('_')}`,
  name: recoveryToolName,
  arguments: { action: 'describe', names },
});
const throughRecovery = (name: string, args: unknown, id = 'shown1') => ({
  id,
  name: recoveryToolName,
  arguments: { action: 'call', name, arguments: args },
});
const byName = (name: string, args: unknown, id = 'shown1') => ({ id, name, arguments: args });

function expectClean({ raw }: HeardAnswer): void {
  expect(raw).not.toContain(recoveryToolName);
  expect(raw).not.toContain('hidden');
}

describe.each(deliveries)('%s', (_delivery, stream) => {
  it('a call to a pruned tool by the tool’s name is delivered without a recovery round', async () => {
    script({ calls: [byName(wanted, given)] });
    const answer = await open().ask([{ user }], stream);
    expect(answer.calls).toEqual([shownCall]);
    expect(namesIn(bodies()[0])).not.toContain(wanted);
    expect(provider.requests).toHaveLength(1);
  });

  it('invalid arguments are corrected once in a recovery round, then the model’s call is delivered', async () => {
    const wrong = { filename: 7 };
    script({ calls: [byName(wanted, wrong, 'hidden1')] }, { calls: [throughRecovery(wanted, given)] });
    const corrected = await open().ask([{ user }], stream);
    expect(corrected.calls).toEqual([shownCall]);
    expectClean(corrected);
    expect(bodies()[1]).toMatch(/arguments\.content is required/);

    script(
      { calls: [throughRecovery(wanted, wrong, 'hidden1')] },
      { calls: [throughRecovery(wanted, wrong)] },
    );
    const insisted = await open().ask([{ user }], stream);
    expect(insisted.calls).toEqual([{ id: 'shown1', name: wanted, arguments: wrong }]);
    expectClean(insisted);
  });

  it('a client receives only its own calls of a mixed response, and the next turn sends the recovery result to the model', async () => {
    const own = byName('star_repository', { owner: 'facebook', repo: 'react' });
    script({ calls: [describeTool(wanted), own] }, { text: 'Done.' }, { text: 'And on.' });
    const mixed = await open().ask([{ user }], stream);
    expect(mixed.calls).toEqual(
      [own].map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    );
    expectClean(mixed);
    const results = [{ id: 'shown1', text: 'starred' }];
    const turns = [{ user }, { calls: mixed.calls, results }];
    const next = await open().ask(turns, stream);
    expect(next.text).toBe('Done.');
    const [first, second] = bodies();
    expect(first).not.toContain('Create a new gist');
    expect(second).toContain('Create a new gist');
    expect(namesIn(second)).toEqual(namesIn(first));
  });

  it('several recovered and ordinary calls are delivered together', async () => {
    const own = byName('star_repository', { owner: 'facebook', repo: 'react' }, 'own1');
    script({ text: 'Both. ', calls: [own, throughRecovery(wanted, given), describeTool('get_me')] });
    const answer = await open().ask([{ user }], stream);
    expect(answer.calls.map(({ id, name }) => [id, name])).toEqual([
      ['own1', 'star_repository'],
      ['shown1', wanted],
    ]);
    expectClean(answer);
  });

  it('the recovery tool finds tools from a description of the required function', async () => {
    const need = {
      id: 'hidden1',
      name: recoveryToolName,
      arguments: { action: 'describe', need: 'create a gist' },
    };
    script({ calls: [need] }, { calls: [throughRecovery(wanted, given)] });
    const answer = await open().ask([{ user }], stream);
    expect(answer.calls).toHaveLength(1);
    expect(bodies()[1]).toContain('Create a new gist');
  });

  it('if the provider rejects the added turns, recovery sends the client’s own messages with every tool', async () => {
    const refusal = {
      status: 400,
      body: { error: { message: 'no such turn', type: 'invalid_request_error' } },
    };
    script({ calls: [describeTool(wanted)] }, refusal, { text: 'Fine.' });
    const answer = await open().ask([{ user }], stream);
    expect(answer.text).toBe('Fine.');
    expect(namesIn(bodies()[2])).toEqual(githubTools.map((tool) => tool.function.name));
    expect(bodies()[2]).not.toContain(recoveryToolName);
  });

  it('an error in a recovery round is an ordinary error if the client has not received any bytes', async () => {
    const busy = { status: 401, body: { error: { message: 'the key is wrong', type: 'auth' } } };
    script({ calls: [describeTool(wanted)] }, busy);
    await expect(open().ask([{ user }], stream)).rejects.toMatchObject({ status: 401 });
  });

  it('recovery never names, describes, calls or finds tools that the API key may not use', async () => {
    const limited = await newKey('limited');
    const path = `/v1/account/keys/${limited.id}/toollist`;
    const lists = { allowed_tools: null, denied_tools: [wanted, 'update_gist'] };
    await send(stack.baseUrl, { method: 'PUT', path, key: accountKey, body: lists });
    const need = {
      id: 'hidden3',
      name: recoveryToolName,
      arguments: { action: 'describe', need: 'create a gist' },
    };
    script(
      { calls: [describeTool(wanted), throughRecovery('update_gist', {}, 'hidden2'), need] },
      { calls: [byName(wanted, given, 'hidden4')] },
      { text: 'So be it.' },
    );
    const answer = await open(limited.key).ask([{ user }], stream);
    expect(answer).toMatchObject({ calls: [], text: 'So be it.' });
    for (const body of bodies()) {
      const { tools, messages } = JSON.parse(body) as { tools: unknown; messages: { role: string }[] };
      expect(JSON.stringify(tools)).not.toContain(wanted);
      expect(JSON.stringify(tools)).not.toContain('update_gist');
      expect(body).not.toContain('Create a new gist');
      const toolResults = JSON.stringify(messages.filter(({ role }) => role === 'tool'));
      expect(toolResults).not.toMatch(/name\\+":\\+"(create|update)_gist/);
    }
  });
});

it('a response without recovery is forwarded byte for byte, streamed or not', async () => {
  const turn = { text: 'Hello there, you.', calls: [byName('star_repository', { owner: 'a', repo: 'b' })] };
  for (const [, stream] of deliveries) {
    const rendered = renderTurn('chat-completions', turn, stream);
    const text = Buffer.isBuffer(rendered.body)
      ? rendered.body.toString('utf8')
      : JSON.stringify(rendered.body);
    script({ ...rendered, body: `${text}\n`, chunkBytes: [7, 50, 3] });
    const request = { model, stream, messages: [{ role: 'user', content: user }], tools: githubTools };
    const answer = await send(stack.baseUrl, { path: '/v1/chat/completions', key: key.key, body: request });
    expect(answer.text).toBe(`${text}\n`);
    expect(bodies().at(-1)).toContain(recoveryToolName);
  }
});

it('if a recovery round fails after the client received text, the stream ends with an error in its format and is billed', async () => {
  script(
    { text: 'Let me see.', calls: [describeTool(wanted)], inputTokens: 900 },
    {
      status: 500,
      body: { error: { message: 'broken', type: 'server_error' } },
    },
  );
  const request = { model, stream: true, messages: [{ role: 'user', content: user }], tools: githubTools };
  const answer = await send(stack.baseUrl, { path: '/v1/chat/completions', key: key.key, body: request });
  expect(answer.text).toContain('see.');
  expect(answer.text).toContain('"error"');
  expect(answer.text).not.toContain('[DONE]');
  const row = await waitForRow(stack.baseUrl, key.key, String(answer.headers['x-request-id']));
  expect(row).toMatchObject({ status: 'truncated', prompt_tokens: 900 });
});

it('the gateway cancels the provider call when the client disconnects during a recovery round', async () => {
  script(
    { text: 'Wait.', calls: [describeTool(wanted)], inputTokens: 900 },
    { status: 200, hang: 'before-headers' },
  );
  const leaving = new AbortController();
  const asked = open()
    .ask([{ user }], true, leaving.signal)
    .catch((error: unknown) => error);
  await waitUntil(() => provider.requests.length === 2);
  leaving.abort();
  await asked;
  await waitUntil(() => provider.requests[1]?.ended === 'client-left');
});

async function waitUntil(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !isTrue(); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
  expect(isTrue()).toBe(true);
}

it('the recovery tool gets a different name if the client already has a tool named svc_more_tools', async () => {
  const clash = { ...githubTools[0]!, function: { ...githubTools[0]!.function, name: recoveryToolName } };
  script({ text: 'Hello.' });
  await open(key.key, [...githubTools, clash]).ask([{ user }], false);
  expect(namesIn(bodies()[0])).toContain(`${recoveryToolName}_2`);
});

it('the recovery tool is not offered if the client forces a tool or the account turns recovery off', async () => {
  const ask = async (more: object) => {
    script({ text: 'Hello.' });
    const request = { model, messages: [{ role: 'user', content: user }], tools: githubTools, ...more };
    const answer = await send(stack.baseUrl, { path: '/v1/chat/completions', key: key.key, body: request });
    expect(answer.status).toBe(200);
    return bodies().at(-1);
  };
  const forced = { tool_choice: { type: 'function', function: { name: 'star_repository' } } };
  expect(await ask(forced)).not.toContain(recoveryToolName);
  expect(await ask({ n: 2 })).not.toContain(recoveryToolName);
  const other = await createTestAccount(stack);
  await connectProvider(stack.baseUrl, other.apiKey, {
    provider: 'openai',
    api_key: 'upstream-key',
    base_url: `${provider.url}/v1`,
  });
  await send(stack.baseUrl, {
    method: 'PUT',
    path: '/v1/account/routing/preferences',
    key: other.apiKey,
    body: { pruning: { recovery: false } },
  });
  script({ text: 'Hello.' });
  await open(other.apiKey).ask([{ user }], false);
  expect(bodies().at(-1)).not.toContain(recoveryToolName);
});

it.each([
  ['messages', anthropicClient, 'anthropic/claude-haiku-4-5'],
  ['converse', bedrockClient, 'hosted/amazon.nova-lite-v1:0'],
] as const)(
  'in %s, a mixed response keeps the client’s calls and drops the recovery calls, streamed or not',
  async (_, openClient, name) => {
    const client = openClient({ baseUrl: stack.baseUrl, key: key.key, model: name, tools: githubTools });
    const own = byName('star_repository', { owner: 'facebook', repo: 'react' }, 'own1');
    for (const [, stream] of deliveries) {
      script({ text: 'Both.', calls: [describeTool(wanted), own, throughRecovery(wanted, given)] });
      const answer = await client.ask([{ user }], stream);
      expect(answer.text).toBe('Both.');
      expect(answer.calls.map((call) => call.name)).toEqual(['star_repository', wanted]);
      expectClean(answer);
    }
  },
);
