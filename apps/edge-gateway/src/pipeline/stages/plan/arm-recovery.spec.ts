import type { PlanReason } from '@gateway/interchange';
import type { Caller } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { identityPlan, type PlannedReply, type ToolPlan } from '../../exchange/tool-plan.ts';
import { requestWith } from '../../recovery/recovery.fixture.ts';
import { armRecovery, type RecoverySubject } from './arm-recovery.ts';

const small = ['a', 'b', 'c'].map((name) => ({ name }));
const long = { type: 'object', properties: { text: { type: 'string', description: 'word '.repeat(400) } } };

/** Calls `armRecovery` for a plan that forwards only the first tool. */
function arm(tools: readonly { name: string; parameters?: object }[], reason: PlanReason): ToolPlan {
  const request = requestWith('chat-completions', tools);
  const identity = identityPlan([...tools.keys()], reason);
  const reply = { k: 1, recovery: { armed: true, way: 'in_place' } } as unknown as PlannedReply;
  const subject = {
    request,
    caller: { allowedTools: null, deniedTools: null } as unknown as Caller,
    exchange: { format: 'chat-completions' } as unknown as Exchange,
  } as unknown as RecoverySubject;
  return armRecovery({ ...identity, forwarded: [0], reply }, subject);
}

describe('a plan that prunes tools', () => {
  it('gets the recovery tool if the recovery tool is shorter than the pruned definitions', () => {
    const plan = arm([...small, { name: 'd', parameters: long }], 'prior');
    expect(plan).toMatchObject({ forwarded: [0], reason: 'prior' });
    expect(plan.recovery?.pruned.size).toBe(3);
  });

  it('sends every tool if the recovery tool is longer, so that no tool is out of reach', () => {
    const plan = arm(small, 'prior');
    expect(plan).toMatchObject({ forwarded: [0, 1, 2], reason: 'net_negative' });
    expect(plan.reply).toMatchObject({ k: null, recovery: { armed: false } });
    expect(plan.recovery).toBeUndefined();
  });

  it('keeps the tool set of an override, even without recovery', () => {
    const plan = arm(small, 'override');
    expect(plan).toMatchObject({ forwarded: [0], reason: 'override' });
    expect(plan.recovery).toBeUndefined();
  });
});
