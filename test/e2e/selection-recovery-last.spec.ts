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
  wanted,
  type RecoveryBench,
} from './recovery-cases.fixture.ts';
import type { ModelTurn } from './scripted-model.fixture.ts';

let bench: RecoveryBench;

beforeAll(async () => {
  bench = await openBench();
});
afterEach(() => bench.provider.reset());
afterAll(() => bench.provider.close());

/** The model's turns, which request only tool definitions in every recovery round. */
const asks = ['get_me', 'list_issues', 'search_code', 'push_files'].map((name, at): ModelTurn => ({
  calls: [describeTools(`hidden${at}`, name)],
  inputTokens: 1_000,
  outputTokens: 10,
}));
const spoken = [{ ...asks[0], text: 'Let me see.' }, ...asks.slice(1)];

describe.each(eachFormat)('%s', (_, kind) => {
  describe.each(deliveries)('%s', (_delivery, stream) => {
    const options = { stream, cached: kind.cached === true };

    it('after two recovery rounds, a client without any received bytes gets the answer to its own request with every tool', async () => {
      bench.script(...asks.slice(0, 3), { text: 'Hello.', inputTokens: 3_000, outputTokens: 5 });
      const agent = bench.open(kind);
      const begun = [agent.user(question)];
      const answer = await agent.ask(begun, options);

      expect(answer).toMatchObject({ status: 200, said: 'Hello.', calls: [], isWhole: true });
      expect(bench.provider.requests).toHaveLength(4);
      const [first, , third, last] = bench.sent();
      expect(third?.definitions).toBe(first?.definitions);
      expect(last?.tools).toEqual(everyTool);
      expect(last?.messages).toEqual(begun);
      expect(last?.raw).not.toContain(recoveryToolName);
      expect(answer.header('x-svc-tools-output')).toBe(String(everyTool.length));
      expect(answer.header('x-svc-attempts')).toBeNull();
      const row = await bench.rowOf(answer);
      expect(row).toMatchObject({
        status: 'ok',
        prompt_tokens: 6_000,
        completion_tokens: 35,
        estimated_tokens_saved: 0,
      });
      expect(row.provider_savings_usd ?? 0).toBeLessThan(0);
    });

    it('after a last request with every tool, the next turn has the conversation’s earlier tool set', async () => {
      bench.script(...asks.slice(0, 3), { calls: [own, shownCall] }, { text: 'Done.' });
      const agent = bench.open(kind);
      const begun = [agent.user(question)];
      const answer = await agent.ask(begun, options);
      expect(answer.calls.map(({ name }) => name)).toEqual([own.name, wanted]);
      const next = await agent.ask([...begun, answer.message, ...agent.results(answer, 'ok')], options);
      expect(next.said).toBe('Done.');
      const sent = bench.sent();
      expect(sent.at(-1)?.definitions).toBe(sent[0]?.definitions);
    });

    it('a model that requests only definitions leads to an error, and never to an empty answer', async () => {
      bench.script(...asks);
      const agent = bench.open(kind);
      const answer = await agent.ask([agent.user(question)], options);
      expect(bench.provider.requests).toHaveLength(4);
      expect(answer.status).toBe(502);
      expect(answer.error).not.toBeNull();
      expect(answer.text).not.toContain(recoveryToolName);
      const row = await bench.rowOf(answer);
      expect(row).toMatchObject({ status: 'error', error_code: 'upstream_invalid' });
    });

    it('if a response is cut at the length limit and has only a recovery call, the client gets another answer', async () => {
      bench.script({ ...asks[0], ends: 'length' }, { text: 'Hello.' });
      const agent = bench.open(kind);
      const answer = await agent.ask([agent.user(question)], options);
      expect(answer).toMatchObject({ status: 200, said: 'Hello.', isWhole: true });
      expect(bench.sent()[1]?.tools).toEqual(everyTool);
    });
  });

  describe('a partly sent stream', () => {
    const options = { stream: true, cached: kind.cached === true };

    it('a last request with every tool and the content of all rounds continues a partly sent stream', async () => {
      bench.script(...spoken.slice(0, 3), { text: 'Here it is.', calls: [shownCall] });
      const agent = bench.open(kind);
      const answer = await agent.ask([agent.user(question)], options);

      expect(answer.said.replace(/\s+/g, '')).toBe('Letmesee.Hereitis.');
      expect(answer).toMatchObject({ calls: [shownCall], isWhole: true, error: null });
      expect(bench.provider.requests).toHaveLength(4);
      const last = bench.sent().at(-1);
      expect(last?.tools).toEqual(everyTool);
      expect(last?.messages).toHaveLength(7);
    });

    it('a partly sent stream resets the connection if the last response has only a recovery call', async () => {
      bench.script(...spoken);
      const agent = bench.open(kind);
      const answer = await agent.ask([agent.user(question)], options);
      expect(bench.provider.requests).toHaveLength(4);
      expect(answer).toMatchObject({ status: 200, said: 'Let me see.', isWhole: false });
      expect(answer.error).toBe('ECONNRESET');
      const row = await bench.rowOf(answer);
      expect(row).toMatchObject({ status: 'truncated', prompt_tokens: 4_000, completion_tokens: 40 });
      expect(row.error_code).toBe('upstream_invalid');
    });

    it('if the model reaches the length limit in a partly sent stream, the stream ends normally', async () => {
      bench.script({ ...asks[0], text: 'Let me see.', ends: 'length' });
      const agent = bench.open(kind);
      const answer = await agent.ask([agent.user(question)], options);
      expect(answer).toMatchObject({ said: 'Let me see.', calls: [], isWhole: true });
      expect(answer.reason).toMatch(/length|max_tokens/);
      expect(bench.provider.requests).toHaveLength(1);
    });
  });
});
