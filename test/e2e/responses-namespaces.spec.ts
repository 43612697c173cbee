import { githubTools } from './github-tools.fixture.ts';
import { outputOf, readAnswer, usePlannedResponses } from './planned-responses.fixture.ts';
import { deliveries, given, question, recoveryToolName, wanted } from './recovery-cases.fixture.ts';
import { toResponsesTool } from './responses-agent.fixture.ts';
import { callOf, messageOf, responseOf, type Members } from './responses-provider.fixture.ts';

const tools = githubTools.map(toResponsesTool);
const { script, ask, sent, rowOf } = usePlannedResponses();
const base = { model: 'openai/gpt-5.6-sol', store: false, input: question };

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
    const called = outputOf(readAnswer(answer, stream).response);
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
