import type { OutboundDraft } from './invariants.ts';
import { toolChoiceIsForwarded } from './invariants.ts';

function check(offered: readonly string[], forwarded: readonly number[], names: readonly string[]) {
  const tools = offered.map((name, index) => ({ name, index }));
  const outline = { tools, toolChoice: { mode: 'allowed', names } };
  return toolChoiceIsForwarded({ outline, plan: { forwarded } } as unknown as OutboundDraft);
}

describe('the tools that tool_choice names', () => {
  it('must be forwarded if they are offered, and one tool per name is enough', () => {
    expect(check(['a', 'b', 'a'], [1, 2], ['a', 'b', 'other'])).toBeNull();
    expect(check(['a', 'b'], [1], ['b', 'a'])).toBe('tool_choice names "a", which is not forwarded');
  });

  it('are checked quickly, even with 4,096 tools and 200,000 names', () => {
    const offered = Array.from({ length: 4_096 }, (_, at) => `tool_number_${at}`);
    const names = Array.from({ length: 200_000 }, (_, at) => `tool_number_${at % 4_096}`);
    const startedAt = performance.now();
    expect(check(offered, [...offered.keys()], names)).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
