import { githubTools } from './github-tools.fixture.ts';
import { outputOf, readAnswer, usePlannedResponses } from './planned-responses.fixture.ts';
import { deliveries, given, question, recoveryToolName, wanted } from './recovery-cases.fixture.ts';
import { toResponsesTool } from './responses-agent.fixture.ts';
import {
  callOf,
  messageOf,
  reasoningOf,
  renderStream,
  responseOf,
  type Members,
} from './responses-provider.fixture.ts';
import { scriptModel } from './scripted-model.fixture.ts';

const model = 'openai/gpt-5.6-sol';
const tools = githubTools.map(toResponsesTool);

const { provider, prefer, script, ask, bodies, sent, rowOf } = usePlannedResponses();

const throughRecovery = (at: number): Members =>
  callOf(at, recoveryToolName, { action: 'call', name: wanted, arguments: given });
const describeWanted = (at: number): Members =>
  callOf(at, recoveryToolName, { action: 'describe', names: [wanted] });

const base = { model, store: false, include: ['reasoning.encrypted_content'], input: question, tools };
const namesIn = (body: Members): unknown[] => (body['tools'] as Members[]).map(({ name }) => name);

describe.each(deliveries)('a planned request, %s', (_how, stream) => {
  it('a planned request is sent without unneeded tools and logged, and its response is returned byte for byte', async () => {
    const response = responseOf('resp_1', [reasoningOf(1), messageOf('It has a star now.')]);
    script(response);
    const answer = await ask({ ...base, stream });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(stream ? renderStream(response) : JSON.stringify(response));
    expect(provider().requests[0]!.url).toBe('/v1/responses');
    const names = namesIn(sent(0));
    expect(names).toContain('star_repository');
    expect(names).not.toContain(wanted);
    expect(names.at(-1)).toBe(recoveryToolName);
    expect(answer.headers).toMatchObject({
      'x-svc-tools-input': String(tools.length),
      'x-svc-tools-output': String(names.length),
    });
    const row = await rowOf(answer);
    expect(row).toMatchObject({
      ...{ endpoint: '/v1/responses', lane: 'edited', provider: 'openai', plan_defect: null },
      ...{ tools_in: tools.length, tools_out: names.length, prompt_tokens: 1000, completion_tokens: 50 },
      trace: { k: row.k, intent: expect.any(String) as string },
    });
    expect(row.trace.candidates.filter(({ forwarded }) => forwarded).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['star_repository']),
    );
    expect(row.compression_steps.length).toBeGreaterThan(0);
  });

  it('the model reaches a pruned tool in recovery rounds, with the reasoning of every round in order', async () => {
    script(
      responseOf('resp_1', [reasoningOf(1), messageOf('Let me see.'), describeWanted(1)]),
      responseOf('resp_2', [reasoningOf(2), throughRecovery(2)]),
    );
    const answer = await ask({ ...base, stream });
    expect(answer.text).not.toContain('"action');
    const { response, events } = readAnswer(answer, stream);
    expect(outputOf(response).map(({ type, id, name }) => [type, id, name])).toEqual([
      ['reasoning', 'rs_1', undefined],
      ['message', 'msg_1', undefined],
      ['reasoning', 'rs_2', undefined],
      ['function_call', 'fc_2', wanted],
    ]);
    expect(outputOf(response).flatMap(({ encrypted_content }) => encrypted_content ?? [])).toEqual([
      'gAAAA-1==',
      'gAAAA-2==',
    ]);
    expect(JSON.parse(String(outputOf(response)[3]!['arguments']))).toEqual(given);
    // A client can continue only the most recent stored response.
    expect(response).toMatchObject({ id: 'resp_2', status: 'completed', usage: { output_tokens: 100 } });
    const numbers = events.map(({ sequence_number }) => sequence_number as number);
    expect(numbers.filter((number, at) => at > 0 && !(number > numbers[at - 1]!))).toEqual([]);
    const indexes = events.flatMap(({ output_index }) => (output_index as number | undefined) ?? []);
    expect(indexes).toEqual(indexes.toSorted((one, other) => one - other));
    expect(namesIn(sent(1))).toEqual(namesIn(sent(0)));
    const items = sent(1)['input'] as Members[];
    expect(items.map(({ type, role }) => type ?? role)).toEqual([
      ...['user', 'reasoning', 'assistant', 'function_call', 'function_call_output'],
    ]);
    expect(items[0]).toEqual({ role: 'user', content: question });
    expect(items[1]).toMatchObject({ encrypted_content: 'gAAAA-1==' });
    expect(items[2]).toMatchObject({ phase: 'final_answer' });
    expect(items[4]!['output']).toContain('Create a new gist');
    expect((await rowOf(answer)).recovered_tools).toEqual([wanted]);
  });
});

it('a later request keeps the tool set, and contains the model’s own call of a pruned tool', async () => {
  script(
    responseOf('resp_1', [reasoningOf(1), throughRecovery(1)]),
    responseOf('resp_2', [messageOf('Done.')]),
  );
  const called = outputOf(readAnswer(await ask(base), false).response);
  expect(called.map(({ name }) => name)).toEqual([undefined, wanted]);
  const results = [{ type: 'function_call_output', call_id: 'call_1', output: '{"id":1}' }];
  const input = [{ role: 'user', content: question }, ...called, ...results];
  const answer = await ask({ ...base, input });
  expect(answer.status).toBe(200);
  expect(sent(1)['tools']).toEqual(sent(0)['tools']);
  expect(sent(1)['input']).toEqual([input[0], reasoningOf(1), throughRecovery(1), results[0]]);
  expect((await rowOf(answer)).k_reason).toBe('frozen');
});

it('items of other types are sent unchanged, and the tools that the request names are kept', async () => {
  const items = [
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA-compaction==' },
    { type: 'item_reference', id: 'msg_0' },
    {
      type: 'local_shell_call',
      call_id: 'call_s',
      status: 'completed',
      action: { type: 'exec', command: [] },
    },
    { type: 'function_call_output', call_id: 'call_s', output: 'a.txt   b.txt' },
    { type: 'custom_tool_call', call_id: 'call_p', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'call_p', output: 'ok' },
  ];
  const custom = {
    type: 'custom',
    name: 'apply_patch',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
  };
  const lookup = { type: 'custom', name: 'lookup' };
  const all = [...tools, custom, { type: 'web_search' }, { type: 'namespace', name: 'db', tools: [lookup] }];
  const allowed = [
    { type: 'function', name: wanted },
    { type: 'custom', name: 'apply_patch' },
    { type: 'web_search' },
  ];
  const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: allowed };
  script(responseOf('resp_1', [messageOf('Done.')]));
  const input = [...items, { role: 'user', content: question }];
  const answer = await ask({ ...base, input, tools: all, tool_choice });
  expect(answer.status).toBe(200);
  expect(sent(0)).toMatchObject({ input, tool_choice });
  const kept = sent(0)['tools'] as Members[];
  expect(kept.length).toBeLessThan(all.length);
  for (const tool of all.slice(tools.length)) expect(kept).toContainEqual(tool);
  expect(namesIn(sent(0))).toContain(wanted);
});

describe('a request that continues a stored response', () => {
  it.each([
    ['previous_response_id', 'resp_1'],
    ['conversation', { id: 'conv_1' }],
    ['background', true],
    ['prompt', { id: 'pmpt_1' }],
    ['store', true],
  ])('a request is sent unchanged because of %s, and the log has the reason', async (field, value) => {
    script(responseOf('resp_2', [messageOf('Done.')]));
    const input = [{ type: 'function_call_output', call_id: 'call_0', output: 'x   ' }];
    const body = { store: false, tools, input, [field]: value };
    const answer = await ask({ model, ...body });
    expect(answer.status).toBe(200);
    expect(bodies()[0]).toBe(JSON.stringify({ model: 'gpt-5.6-sol', ...body }));
    expect(await rowOf(answer)).toMatchObject({
      k_reason: 'stateful',
      tools_out: tools.length,
      tools_pruned: 0,
    });
  });

  it('a request that continues a stored response is rejected if the provider stores no responses', async () => {
    for (const [param, body] of [
      ['previous_response_id', { previous_response_id: 'resp_1' }],
      ['input[0]', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ] as const) {
      const answer = await ask({ ...base, model: 'anthropic/claude-haiku-4-5', ...body });
      expect([answer.status, answer.json()]).toMatchObject([
        400,
        { error: { code: 'invalid_field', param } },
      ]);
    }
  });
});

it('repeated tool results are compressed, and all other parts of the transcript stay unchanged', async () => {
  const listing = JSON.stringify(
    { files: Array.from({ length: 40 }, (_, at) => ({ name: `file-${at}`, size: at })) },
    null,
    4,
  );
  const input = [
    { role: 'user', content: question },
    { ...reasoningOf(1), content: [{ type: 'reasoning_text', text: `Hm,   ${listing}` }] },
    callOf(1, 'star_repository', { owner: 'facebook', repo: 'react' }),
    { type: 'function_call_output', call_id: 'call_1', output: listing },
  ];
  script(responseOf('resp_1', [messageOf('Done.')]));
  const answer = await ask({ ...base, input });
  const items = sent(0)['input'] as Members[];
  expect(items.slice(0, 3)).toEqual(input.slice(0, 3));
  expect(String(items[3]!['output']).length).toBeLessThan(listing.length);
  expect(JSON.parse(String(items[3]!['output']))).toEqual(JSON.parse(listing));
  expect(answer.headers['x-svc-ctx-tokens-saved']).toMatch(/^[1-9]/);
});

describe('a planned request to a provider of another format', () => {
  const translated = (body: Members) =>
    ask({ ...base, input: [{ role: 'user', content: question }], max_output_tokens: 500, ...body });

  it.each([
    ['a model that binds its reasoning', 'anthropic/claude-opus-5-5'],
    ['a model without bound reasoning', 'anthropic/claude-haiku-4-5'],
  ])('a conversation keeps its tool set in the next turn: %s', async (_name, other) => {
    const arguments_ = { owner: 'facebook', repo: 'react' };
    scriptModel(provider(), [
      { calls: [{ id: 'call_1', name: 'star_repository', arguments: arguments_ }] },
      { text: 'Done.' },
    ]);
    const first = await translated({ model: other });
    const output = outputOf(readAnswer(first, false).response);
    expect(output).toMatchObject([{ type: 'function_call', name: 'star_repository' }]);
    const result = { type: 'function_call_output', call_id: 'call_1', output: 'ok' };
    const second = await translated({
      model: other,
      input: [{ role: 'user', content: question }, ...output, result],
    });
    expect(outputOf(readAnswer(second, false).response)).toMatchObject([{ content: [{ text: 'Done.' }] }]);
    expect(provider().requests.map(({ url }) => url)).toEqual(['/messages', '/messages']);
    expect(namesIn(sent(1))).toEqual(namesIn(sent(0)));
    expect(namesIn(sent(0)).length).toBeLessThan(tools.length);
    expect(await rowOf(second)).toMatchObject({ lane: 'translated', k_reason: 'frozen' });
  });

  it('a client may leave the choice of the model to the gateway', async () => {
    scriptModel(provider(), [{ text: 'Hello.' }]);
    const answer = await translated({ model: 'svc/cheap' });
    expect(answer.status).toBe(200);
    expect(outputOf(readAnswer(answer, false).response)).toMatchObject([{ content: [{ text: 'Hello.' }] }]);
    expect((await rowOf(answer)).model_choice).toMatchObject({ mode: 'cheap' });
    const stateful = await translated({ model: 'svc/cheap', previous_response_id: 'resp_1' });
    expect([stateful.status, stateful.json()]).toMatchObject([400, { error: { param: 'model' } }]);
  });
});

it('if the account does not plan requests of the Responses API, only the model changes in a request', async () => {
  await prefer(false);
  const listing = { type: 'function_call_output', call_id: 'call_1', output: '{ "a":   1 }' };
  const body = { store: false, input: [callOf(1, wanted, {}), listing, listing], tools };
  script(responseOf('resp_1', [messageOf('Done.')]));
  const answer = await ask({ model, ...body });
  expect(answer.status).toBe(200);
  expect(bodies()[0]).toBe(JSON.stringify({ model: 'gpt-5.6-sol', ...body }));
  await prefer(true);
});
