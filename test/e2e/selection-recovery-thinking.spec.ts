import { TranscriptRules } from '@gateway/testing';
import type { AgentAnswer, AskOptions } from './agent-clients.fixture.ts';
import {
  deliveries,
  describeTools,
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
import { scriptModel, type ModelTurn } from './scripted-model.fixture.ts';

let bench: RecoveryBench;
let rules: TranscriptRules;

beforeAll(async () => {
  bench = await openBench();
});
beforeEach(() => {
  rules = new TranscriptRules();
});
afterEach(() => bench.provider.reset());
afterAll(() => bench.provider.close());

/** Each form in which a client can receive reasoning, in each recovery mode. */
const cases: readonly (readonly [string, RecoveryCase])[] = [
  ['messages', { format: 'messages', model: 'anthropic/claude-haiku-4-5', cached: true }],
  ['messages, not cached', { format: 'messages', model: 'anthropic/claude-haiku-4-5' }],
  [
    'converse',
    { format: 'converse', model: 'hosted/anthropic.claude-haiku-4-5-20251001-v1:0', cached: true },
  ],
  ['converse, not cached', { format: 'converse', model: 'hosted/anthropic.claude-haiku-4-5-20251001-v1:0' }],
  [
    'chat-completions, reasoning_content',
    { format: 'chat-completions', model: 'deepseek/deepseek-reasoner' },
  ],
  [
    'chat-completions, reasoning_details',
    { format: 'chat-completions', model: 'openrouter/anthropic/claude-sonnet-4.5' },
  ],
];

const script = (...turns: ModelTurn[]): void => scriptModel(bench.provider, turns, rules);
const hidden = { redacted: Buffer.from('what nobody may read').toString('base64') };

/**
 * The model's reasoning in each recovery round. DeepSeek's reasoning field can carry neither signatures nor
 * redacted reasoning.
 */
const thoughtsFor = ({ model }: RecoveryCase): readonly ModelTurn['thinking'][] =>
  model.startsWith('deepseek/')
    ? [['There is no tool for gists here.'], ['Now I know it.'], ['So be it.'], ['At last.']]
    : [
        ['There is no tool for gists here. ü🌍', hidden],
        ['Now I know it.', 'And I may go on.'],
        [hidden],
        ['At last.'],
      ];

describe.each(cases)('%s', (_, kind) => {
  describe.each(deliveries)('%s', (_delivery, stream) => {
    const options: AskOptions = { stream, thinks: true, cached: kind.cached === true };
    const [first, second, third, fourth] = thoughtsFor(kind);

    /** Sends a question and then, like an agent, sends the response back with the tool results. */
    async function askTwice(...turns: ModelTurn[]): Promise<{ answer: AgentAnswer; next: AgentAnswer }> {
      script(...turns, { thinking: fourth ?? [], text: 'Done.' });
      const agent = bench.open(kind);
      const begun = [agent.user(question)];
      const answer = await agent.ask(begun, options);
      expect(rules.violations).toEqual([]);
      expect(answer).toMatchObject({ status: 200, error: null, isWhole: true });
      expect(answer.text).not.toContain(recoveryToolName);
      const transcript = [...begun, answer.message, ...agent.results(answer, 'ok')];
      const next = await agent.ask(transcript, options);
      expect(rules.violations).toEqual([]);
      expect(next).toMatchObject({ status: 200, said: 'Done.', error: null });
      return { answer, next };
    }

    it('a pruned tool is described and called with reasoning, and the provider accepts the returned answer', async () => {
      const { answer } = await askTwice(
        { thinking: first ?? [], calls: [describeTools('hidden1', wanted)] },
        { thinking: second ?? [], calls: [throughRecovery('shown1')] },
      );
      expect(answer.calls).toEqual([shownCall]);
      expect(bench.sent()[1]?.raw).toContain('There is no tool for gists here.');
    });

    it('the text of the first round comes before the text of the second round', async () => {
      const { answer } = await askTwice(
        { thinking: first ?? [], text: 'Let me see.', calls: [describeTools('hidden1', wanted)] },
        { thinking: second ?? [], text: 'Here it is.', calls: [throughRecovery('shown1')] },
      );
      expect(answer.said.replace(/\s+/g, ' ').replace('.H', '. H')).toBe('Let me see. Here it is.');
      expect(answer.calls.map(({ name }) => name)).toEqual([wanted]);
    });

    it('the reasoning of every round stays separate, including the last request', async () => {
      const { answer } = await askTwice(
        { thinking: first ?? [], calls: [describeTools('hidden1', wanted)] },
        { thinking: second ?? [], calls: [describeTools('hidden2', 'get_me')] },
        { thinking: third ?? [], calls: [describeTools('hidden3', 'list_issues')] },
        { thinking: second ?? [], text: 'Good.', calls: [shownCall] },
      );
      expect(answer.calls).toEqual([shownCall]);
      expect(bench.provider.requests).toHaveLength(5);
      expect(bench.sent()[3]?.tools).not.toContain(recoveryToolName);
    });

    it('pruned, recovered and ordinary calls of one answer are delivered, and the provider accepts the returned answer', async () => {
      const { answer } = await askTwice({
        thinking: first ?? [],
        text: 'All at once.',
        calls: [
          describeTools('hidden1', 'get_me'),
          own,
          throughRecovery('shown1'),
          { id: 'shown2', name: 'list_gists', arguments: {} },
        ],
      });
      expect(answer.calls.map(({ id, name }) => [id, name])).toEqual([
        ['own1', own.name],
        ['shown1', wanted],
        ['shown2', 'list_gists'],
      ]);
    });

    it('invalid arguments are corrected, and the provider accepts the returned answer', async () => {
      const { answer } = await askTwice(
        { thinking: first ?? [], calls: [{ id: 'hidden1', name: wanted, arguments: { filename: 7 } }] },
        { thinking: second ?? [], calls: [throughRecovery('shown1')] },
      );
      expect(answer.calls).toEqual([shownCall]);
    });
  });
});

it('the reasoning of a later round is forwarded if the first round had no reasoning', async () => {
  script(
    { calls: [describeTools('hidden1', wanted)] },
    { thinking: ['Now I know it.'], calls: [throughRecovery('shown1')] },
    { text: 'Done.' },
  );
  const agent = bench.open({ format: 'messages', model: 'anthropic/claude-haiku-4-5' });
  const begun = [agent.user(question)];
  const answer = await agent.ask(begun, { stream: true });
  expect(answer.blocks).toEqual(['thinking', 'tool_use']);
  const next = await agent.ask([...begun, answer.message, ...agent.results(answer, 'ok')], { stream: true });
  expect(next.said).toBe('Done.');
  expect(rules.violations).toEqual([]);
});
