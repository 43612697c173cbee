import type { RequestOutline } from '@gateway/interchange';
import { editedLength, formatNamed } from '@gateway/wire-formats';
import type { Caller, ParsedRequest } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { buildRecovery, type RecoveryInput, acceptsRecoveryTool } from '../../recovery/build-recovery.ts';
import type { Recovery } from '../../recovery/recovery.ts';
import type { ToolPlan } from '../../exchange/tool-plan.ts';
import { startDeadline } from '../../../request/deadline.ts';
import type { Planner, PlanSubject } from './router/planner.port.ts';

export interface RecoverySubject {
  readonly request: ParsedRequest;
  readonly subject: () => PlanSubject;
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly planner: Planner;
  readonly deadlineMs: number;
}

/**
 * Puts the net under a plan that leaves tools out, or that leaves something out of the conversation which can be brought
 * back. Where the stand-in would be as long as what it stands for, tools that are left out stay out of reach; those that
 * the transcript calls then go out, since nothing else can say their names.
 */
export function armRecovery(planned: ToolPlan, given: RecoverySubject): ToolPlan {
  const { reply, context } = planned;
  const isPruned = planned.forwarded.length < planned.eligible.length;
  // What is deferred, the provider's own search reaches; what may not be called is in the prompt all the same.
  const isLeftOut = isPruned && planned.native === undefined;
  const isReachable = isLeftOut && reply?.recovery.armed === true && acceptsRecoveryTool(given.request);
  if (!isPruned && context.recall === null) return planned;
  const net = isReachable ? buildRecovery(netOf(planned, given, true)) : null;
  if (net !== null && isWorthIt(net, given.request.outline, planned)) return { ...planned, recovery: net };
  const whole = isLeftOut ? withCalledTools(planned, given.request.outline) : planned;
  const mayAsk = context.recall !== null && acceptsRecoveryTool(given.request);
  return mayAsk ? { ...whole, recovery: buildRecovery(netOf(whole, given, false)) } : whole;
}

function netOf(planned: ToolPlan, given: RecoverySubject, reachesTools: boolean): RecoveryInput {
  const { request, exchange } = given;
  return {
    mode: planned.reply?.recovery.way ?? 'in_place',
    recall: planned.context.recall,
    requested: planned.requested?.slice(0, askedMax) ?? [],
    format: formatNamed(exchange.format),
    tape: request.tape,
    outline: request.outline,
    eligible: planned.eligible,
    forwarded: planned.forwarded,
    reachesTools,
    rank: (need) => rankFor(need, planned, given),
  };
}

/** The router's order of all tools for a need: the same question that a user's turn makes. */
async function rankFor(
  need: string,
  { eligible }: ToolPlan,
  { subject, exchange, caller, planner, deadlineMs }: RecoverySubject,
): Promise<readonly number[]> {
  const deadline = startDeadline(deadlineMs, exchange.abort.signal);
  const question = {
    accountId: caller.accountId,
    requestId: exchange.requestId,
    userTurns: [need.slice(0, needCharactersMax)],
    calledTools: [],
    recentResults: [],
    forcedTools: [],
    pinned: [],
    kOverride: null,
    recallTarget: caller.pruning.recallTarget,
  };
  try {
    const { candidates } = await planner.selectTools(subject(), question, deadline.signal);
    return candidates.flatMap(({ position }) => eligible[position] ?? []);
  } finally {
    deadline.clear();
  }
}

const needCharactersMax = 1_000;
/** Tools that a turn begins with the definitions of. */
const askedMax = 8;

/** Whether the stand-in, and calls in its name, take less room than the definitions that it stands for. */
function isWorthIt(net: Recovery, { tools }: RequestOutline, { eligible, forwarded }: ToolPlan): boolean {
  const goes = new Set(forwarded);
  const saved = eligible.reduce((sum, index) => {
    const range = goes.has(index) ? undefined : tools[index]?.range;
    return range === undefined ? sum : sum + range.end - range.start;
  }, 0);
  const ours = [net.recoveryTool, ...net.openingMessages].reduce(
    (sum, part) => sum + Buffer.byteLength(JSON.stringify(part)),
    0,
  );
  const spent = ours + editedLength(0, net.callEdits);
  return net.recall !== null || spent < saved;
}

function withCalledTools(planned: ToolPlan, { tools, messages }: RequestOutline): ToolPlan {
  const called = new Set(messages.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)));
  const goes = new Set(planned.forwarded);
  const forwarded = planned.eligible.filter((index) => {
    const name = tools[index]?.name;
    return goes.has(index) || (name !== undefined && called.has(name));
  });
  return { ...planned, forwarded };
}
