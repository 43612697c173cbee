import { renderShippedEvent, type RequestEventV1 } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, createPlanEvent } from '@gateway/testing';
import { renderRequestLogRow } from './request-log-row.ts';
import { sumToolUse } from './tool-use.ts';

const accountId = '01939a5b-0000-7000-8000-00000000000a';
function usesOf(changes: readonly Partial<RequestEventV1>[]) {
  const rows = changes.map((change) => {
    const event = renderShippedEvent(createEndedEvent(createAcceptedEvent({ accountId }), change));
    return { row: renderRequestLogRow(event), offeredTools: event.offeredTools };
  });
  return new Map(sumToolUse(rows).map((use) => [use.tool, use]));
}

describe('the use of tools', () => {
  it('counts each tool once per request, and counts the requests under the empty tool name', () => {
    const uses = usesOf([
      { plan: createPlanEvent(3, 1), toolsPruned: 2, calledTools: ['tool_0', 'tool_2', 'tool_2', 'made_up'] },
      { plan: createPlanEvent(3, 2), toolsPruned: 1, calledTools: ['tool_1'] },
      { plan: null },
    ]);
    expect([...uses.keys()]).toEqual(['', 'tool_0', 'tool_1', 'tool_2']);
    expect(uses.get('')).toMatchObject({ offered: 2 });
    expect(uses.get('tool_0')).toMatchObject({ offered: 2, forwarded: 2, called: 1, called_when_pruned: 0 });
    expect(uses.get('tool_1')).toMatchObject({ offered: 2, forwarded: 1, called: 1, rank_sum: 2 });
    expect(uses.get('tool_2')).toMatchObject({ offered: 2, forwarded: 0, called: 1, called_when_pruned: 1 });
  });

  it('includes requests with unranked tools, without a rank', () => {
    const plan = { ...createPlanEvent(0, 0), kReason: 'off' };
    const uses = usesOf([{ plan, offeredTools: ['one', 'two', 'one', ''], calledTools: ['two'] }]);
    expect([...uses.keys()]).toEqual(['', 'one', 'two']);
    expect(uses.get('two')).toMatchObject({ forwarded: 1, called: 1, ranked_calls: 0, rank_sum: 0 });
  });

  it('counts all tools as forwarded if no tool was pruned, as in a shadow conversation', () => {
    const plan = { ...createPlanEvent(2, 1), kReason: 'shadow' };
    expect(usesOf([{ plan, toolsPruned: 0 }]).get('tool_1')).toMatchObject({ forwarded: 1 });
    expect(usesOf([{ plan, toolsIn: 2, toolsOut: 1 }]).get('tool_1')).toMatchObject({ forwarded: 0 });
  });

  it('counts denied tool calls, and truncates long tool names', () => {
    const uses = usesOf([{ deniedTools: ['x'.repeat(300), 'x'.repeat(300)] }]);
    expect([...uses.values()]).toMatchObject([{ tool: 'x'.repeat(256), denied: 1, offered: 0 }]);
  });
});
