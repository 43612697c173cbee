import type { AgentAnswer, AskOptions, Choice } from './agent-clients.fixture.ts';
import {
  deliveries,
  describeTools,
  eachFormat,
  everyTool,
  openBench,
  own,
  question,
  recoveryToolName,
  shownCall,
  throughRecovery,
  wanted,
  type RecoveryBench,
  type RecoveryCase,
} from './recovery-cases.fixture.ts';
import type { ModelTurn } from './scripted-model.fixture.ts';

let bench: RecoveryBench;

beforeAll(async () => {
  bench = await openBench();
});
afterEach(() => bench.provider.reset());
afterAll(() => bench.provider.close());

/**
 * Runs a conversation of three turns. Only the second turn restricts the choice of tools. The gateway stores
 * the tool set of the first turn.
 */
async function converse(
  kind: RecoveryCase,
  stream: boolean,
  choice: Choice,
  chosen: ModelTurn,
): Promise<AgentAnswer> {
  bench.script({ calls: [own] }, chosen, { text: 'Done.' });
  const agent = bench.open(kind);
  const options: AskOptions = { stream, cached: kind.cached === true };
  const begun = [agent.user(question)];
  const first = await agent.ask(begun, options);
  const followed = [...begun, first.message, ...agent.results(first, 'starred')];
  const second = await agent.ask(followed, { ...options, choice });
  const results = second.calls.length > 0 ? agent.results(second, 'ok') : [agent.user('Thanks. And now?')];
  const last = await agent.ask([...followed, second.message, ...results], options);
  expect(last.said).toBe('Done.');
  return second;
}

describe.each(eachFormat)('%s', (_, kind) => {
  describe.each(deliveries)('%s', (_delivery, stream) => {
    it('a request that forces a tool call has every tool and no recovery tool, and later turns have the earlier tool set', async () => {
      const answer = await converse(kind, stream, 'required', {
        calls: [shownCall],
      });
      expect(answer.calls).toEqual([shownCall]);
      const [first, second, third] = bench.sent();
      expect(first?.tools).toContain(recoveryToolName);
      expect(second?.tools).toEqual(everyTool);
      expect(third?.definitions).toBe(first?.definitions);
      const row = await bench.rowOf(answer);
      expect(row).toMatchObject({ k: null, k_reason: 'uncertain', tools_out: everyTool.length });
    });

    it('a turn that forces a call to one listed tool changes no byte of the tool list', async () => {
      await converse(kind, stream, { tool: own.name }, { calls: [{ ...own, id: 'own2' }] });
      const definitions = bench.sent().map((sent) => sent.definitions);
      expect(new Set(definitions).size).toBe(1);
      expect(definitions[0]).toContain(recoveryToolName);
    });
  });
});

it.each(eachFormat.filter(([name]) => name !== 'converse'))(
  'a turn that forbids tool calls changes no byte of the tool list: %s',
  async (_, kind) => {
    await converse(kind, false, 'none', { text: 'So far, so good.' });
    const definitions = bench.sent().map((sent) => sent.definitions);
    expect(new Set(definitions).size).toBe(1);
  },
);

it.each(eachFormat)(
  'a conversation that begins with a forced call never has a recovery tool: %s',
  async (_, kind) => {
    bench.script({ calls: [own] }, { text: 'Done.' });
    const agent = bench.open(kind);
    const options: AskOptions = { stream: false, cached: kind.cached === true };
    const begun = [agent.user(question)];
    const first = await agent.ask(begun, { ...options, choice: 'required' });
    await agent.ask([...begun, first.message, ...agent.results(first, 'starred')], options);
    for (const { raw } of bench.sent()) expect(raw).not.toContain(recoveryToolName);
  },
);

describe.each(eachFormat)('%s: tools that the first turn does not mention', (_, kind) => {
  const options: AskOptions = { stream: false, cached: kind.cached === true };

  it('a conversation that begins with a greeting can still reach every tool', async () => {
    bench.script(
      { text: 'Hello.' },
      { calls: [describeTools('hidden1', wanted)] },
      { calls: [throughRecovery('shown1')] },
    );
    const agent = bench.open(kind);
    const begun = [agent.user('Hi there')];
    const hello = await agent.ask(begun, options);
    const answer = await agent.ask(
      [...begun, hello.message, agent.user('Please save this as a gist')],
      options,
    );
    const offered = bench.sent()[1]?.tools ?? [];
    const isReachable = offered.includes(wanted) || offered.includes(recoveryToolName);
    expect(isReachable).toBe(true);
    if (offered.includes(recoveryToolName)) expect(answer.calls).toEqual([shownCall]);
  });

  it('the model can still reach a pruned tool that a log names', async () => {
    bench.script(
      { calls: [own] },
      { calls: [describeTools('hidden1', wanted)] },
      { calls: [throughRecovery('shown1')] },
    );
    const agent = bench.open(kind);
    const begun = [agent.user(question)];
    const first = await agent.ask(begun, options);
    const log = `2026-11-23 10:00:00 ERROR worker: ${wanted} failed with status 500\n`.repeat(40);
    const followed = [...begun, first.message, ...agent.results(first, log)];
    const answer = await agent.ask(followed, options);
    expect(answer.calls).toEqual([shownCall]);
    const [before, , after] = bench.sent();
    expect(after?.definitions).toBe(before?.definitions);
  });
});
