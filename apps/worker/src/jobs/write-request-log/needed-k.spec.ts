import { createPlanEvent, createEndedEvent } from '@gateway/testing';
import { renderShippedEvent, type RequestEventV1 } from '@gateway/contracts';
import { chooseBucket, findNeededK } from './needed-k.ts';

type Plan = NonNullable<RequestEventV1['plan']>;
const neededOf = (calledTools: string[], plan: Partial<Plan> = {}, toolsIn = 20) => {
  const shadow = { ...createPlanEvent(20, 5), kReason: 'shadow', ...plan };
  return findNeededK(renderShippedEvent(createEndedEvent(undefined, { plan: shadow, calledTools, toolsIn })));
};

describe('the K that a shadow request needed', () => {
  it('equals the rank of the lowest-ranked tool that the model called', () => {
    expect(neededOf(['tool_3'])).toBe(4);
    expect(neededOf(['tool_3', 'tool_0'])).toBe(4);
    expect(neededOf(['tool_3', 'tool_11'])).toBe(12);
  });

  it('is null if the request was not in shadow, called no tools, or called a tool that was not offered', () => {
    expect(neededOf(['tool_3'], { kReason: 'prior' })).toBeNull();
    expect(neededOf([])).toBeNull();
    expect(neededOf(['made_up'])).toBeNull();
  });

  it('counts only the scored tools, not tools that are always included', () => {
    const { candidates } = createPlanEvent(20, 5);
    const pinned = candidates.map((each, at) => ({ ...each, alwaysIn: at < 3 ? 'called' : null }));
    expect(neededOf(['tool_3'], { candidates: pinned })).toBe(1);
    expect(neededOf(['tool_1'], { candidates: pinned })).toBe(1);
  });

  it('follows the plan and not the ranks, because the tool set also contains tools from earlier turns', () => {
    const { candidates } = createPlanEvent(20, 5);
    const kept = candidates.map((each) => ({
      ...each,
      forwarded: each.forwarded || each.name === 'tool_15',
    }));
    expect(neededOf(['tool_15'], { candidates: kept, k: 6 })).toBe(6);
    const dropped = candidates.map((each) => ({ ...each, forwarded: each.rank > 1 && each.forwarded }));
    expect(neededOf(['tool_0'], { candidates: dropped, k: 4 })).toBe(5);
  });

  it('is the length of the whole tool list if the log lacks some candidates', () => {
    expect(neededOf(['tool_900'], {}, 1_000)).toBe(1_000);
  });
});

test('a request counts for the bucket named by its router, or otherwise for its intent and list size', () => {
  const plan = createPlanEvent(20, 5);
  const of = (change: Partial<Plan>) =>
    chooseBucket(
      renderShippedEvent(createEndedEvent(undefined, { plan: { ...plan, ...change }, toolsIn: 60 })),
    );
  expect(of({ bucket: 'lookup:26-50' })).toBe('lookup:26-50');
  expect(of({ bucket: '' })).toBe('act:51-100');
  expect(of({ intent: null })).toBeNull();
});
