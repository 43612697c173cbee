import { keywordRanker } from '../ranking/keyword-ranker.ts';
import { defineTool, indexTools } from '../tool-index/tools.fixture.ts';
import { weighTurn } from './grow-set.ts';

const long = { type: 'object', properties: { note: { type: 'string', pattern: 'x'.repeat(2_000) } } };

/** Returns the names of the tools in the order of a turn that is weighed by the costs of the tools' definitions. */
function order(turn: string, tools: ReturnType<typeof defineTool>[], cost: 'nothing' | 'description') {
  const index = indexTools(tools);
  const ranking = keywordRanker.rank(index, { turns: [turn], at: 0 });
  const weighed = weighTurn({ ranking, mentioned: [], carriesOn: false }, index, cost);
  expect(weighed.ranking.scores).toBe(ranking.scores);
  return [...weighed.ranking.order].map((position) => index.names[position]);
}

describe('a turn of a conversation with deferred tools', () => {
  const short = defineTool('find_invoice', 'Find an invoice');
  const wordy = { ...defineTool('find_refund', 'Find a refund'), parameters: long };

  it.each(['nothing', 'description'] as const)(
    'prefers the shorter one of two equally suitable tools (a deferred tool costs: %s)',
    (cost) => {
      expect(order('Find it', [wordy, short], cost)).toEqual(['find_invoice', 'find_refund']);
    },
  );

  it('prefers a suitable tool with a long definition to an unsuitable tool with a short definition', () => {
    const others = ['ping', 'stop', 'halt'].map((name) => defineTool(name, 'Does something else entirely'));
    const [first] = order('Refund refunds: find the refund', [...others, wordy], 'nothing');
    expect(first).toBe('find_refund');
  });

  it('counts only the parameters if deferred tools keep their descriptions in the prompt', () => {
    const described = { ...defineTool('find_refund', `Find a refund. ${'Really. '.repeat(200)}`) };
    const some = { properties: { id: { type: 'string', format: 'uuid', title: 'The id of the thing' } } };
    const tools = [described, { ...defineTool('find_invoice', 'Find an invoice'), parameters: some }];
    expect(order('Zebra', tools, 'description')[0]).toBe('find_refund');
    expect(order('Zebra', tools, 'nothing')[0]).toBe('find_invoice');
  });
});
