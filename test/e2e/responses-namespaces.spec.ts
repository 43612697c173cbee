import { sharedStack, type ReplayProvider } from '@gateway/testing';
import {
  connectEachFormat,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
} from './account.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { send, type Answer } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { deliveries, given, question, recoveryToolName, wanted } from './recovery-cases.fixture.ts';
import { toResponsesTool } from './responses-agent.fixture.ts';
import {
  callOf,
  messageOf,
  responseOf,
  scriptResponses,
  type Members,
} from './responses-provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const tools = githubTools.map(toResponsesTool);

let provider: ReplayProvider;
let key: string;
beforeAll(async () => {
  provider = await startProvider();
  const { apiKey } = await createTestAccount(stack);
  key = (await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 })).key;
  await connectEachFormat(baseUrl, key, provider.url);
  const path = '/v1/account/routing/preferences';
  await send(baseUrl, { method: 'PUT', path, key, body: { responses: { plan: true } } });
});
afterEach(() => provider.reset());
afterAll(() => provider.close());

const script = (...responses: readonly Members[]): void => scriptResponses(provider, responses);
const base = { model: 'openai/gpt-5.6-sol', store: false, input: question };
const ask = (body: Members): Promise<Answer> => send(baseUrl, { path: '/v1/responses', key, body });
const sent = (at: number): Members => JSON.parse(provider.requests[at]!.body.toString('utf8')) as Members;
const rowOf = (answer: Answer) => waitForRow(baseUrl, key, requestIdOf(answer));

/** Returns a response's output items. The last event of a stream contains the whole response. */
function outputOf({ text }: Answer, stream: boolean): Members[] {
  const last = [...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1];
  const body = JSON.parse(stream ? last! : text) as Members;
  return (stream ? (body['response'] as Members) : body)['output'] as Members[];
}

describe('the tools of namespaces', () => {
  const namespaceOf = (name: string, members: readonly Members[]): Members => ({
    ...{ type: 'namespace', name, description: `Tools in the ${name} namespace.`, tools: members },
  });
  const half = tools.length / 2;
  const namespaces = [
    namespaceOf('mcp__one', tools.slice(0, half)),
    namespaceOf('mcp__two', [...tools.slice(half), tools[0]!]),
  ];
  const isFirst = tools.findIndex(({ name }) => name === wanted) < half;
  const home = isFirst ? 'mcp__one' : 'mcp__two';
  const recover = callOf(1, recoveryToolName, {
    ...{ action: 'call', name: `${home}.${wanted}`, arguments: given },
  });
  const membersIn = (body: Members): string[] =>
    (body['tools'] as Members[]).flatMap(({ name, tools: members }) =>
      ((members ?? []) as Members[]).map((member) => `${String(name)}.${String(member['name'])}`),
    );

  it.each(deliveries)('are pruned and recovered one by one, %s', async (_how, stream) => {
    script(responseOf('resp_1', [recover]), responseOf('resp_2', [messageOf('Done.')]));
    const answer = await ask({ ...base, tools: namespaces, stream });
    const called = outputOf(answer, stream);
    expect(called).toMatchObject([{ type: 'function_call', name: wanted, namespace: home }]);
    const offered = membersIn({ tools: namespaces });
    const kept = membersIn(sent(0));
    expect(kept.length).toBeLessThan(offered.length);
    expect(kept).toEqual(offered.filter((name) => kept.includes(name)));
    expect(kept).not.toContain(`${home}.${wanted}`);
    const row = await rowOf(answer);
    expect(row).toMatchObject({ tools_in: offered.length, tools_out: kept.length + 1, plan_defect: null });
    const results = [{ type: 'function_call_output', call_id: 'call_1', output: '{"id":1}' }];
    const input = [{ role: 'user', content: question }, ...called, ...results];
    const next = await ask({ ...base, tools: namespaces, input });
    expect(next.status).toBe(200);
    expect(sent(1)['tools']).toEqual(sent(0)['tools']);
    expect(sent(1)['input']).toEqual([input[0], recover, results[0]]);
  });

  it('keep their own calls in the transcript', async () => {
    const name = 'star_repository';
    const at = tools.findIndex((tool) => tool['name'] === name);
    const namespace = at < half ? 'mcp__one' : 'mcp__two';
    const call = { ...callOf(1, name, { owner: 'facebook', repo: 'react' }), namespace };
    const response = responseOf('resp_1', [call]);
    script(response, responseOf('resp_2', [messageOf('Done.')]));
    const answer = await ask({ ...base, tools: namespaces });
    expect(answer.text).toBe(JSON.stringify(response));
    expect((await rowOf(answer)).called_tools).toEqual([`${namespace}.${name}`]);
    const input = [
      { role: 'user', content: question },
      call,
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
    ];
    await ask({ ...base, tools: namespaces, input });
    expect(sent(1)).toMatchObject({ input, tools: sent(0)['tools'] });
  });
});
