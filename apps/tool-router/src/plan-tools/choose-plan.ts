import { bucketOf, type PlanToolsReply, type PlanToolsRequest } from '@gateway/contracts';
import type { RoutingMethod } from '@gateway/interchange';
import type { ToolListIndex } from '../ranking/tool-list-index.ts';
import type { TurnRanking } from '../ranking/ranker.port.ts';
import { findAlwaysIn, findPinned, type AlwaysInReason } from './always-in.ts';
import { classifyIntent } from './intent.ts';
import type { KPolicy } from './k-policy.ts';
import { chooseSessionSet, type RankedTurn, type SessionSet } from './session-set.ts';

export type PlannedTools = Extract<PlanToolsReply, { status: 'planned' }>;

export interface PlanInput {
  readonly request: PlanToolsRequest;
  readonly index: ToolListIndex;
  /** By user turn, oldest first: the turns that may grow the set. */
  readonly turns: readonly RankedTurn[];
  /** The ranking for the newest turn, whether or not it may grow the set; undefined without user turns. */
  readonly newest: TurnRanking | undefined;
  /** Positions that any user turn names. */
  readonly mentioned: ReadonlySet<number>;
  readonly method: RoutingMethod;
  readonly policy: KPolicy;
}

/** The plan of a request: a pure function of the request, its list and the policy. */
export function choosePlan(input: PlanInput): PlannedTools {
  const { request, index, policy } = input;
  const pinned = new Set(findPinned(request, index).keys());
  const alwaysIn = findAlwaysIn(request, index, input.mentioned);
  const set = chooseSessionSet(index, input.turns, {
    policy,
    recallTarget: request.recallTarget,
    kOverride: request.kOverride,
    pinned,
  });
  const forwarded = listForwarded(index, set, alwaysIn);
  const isWhole = forwarded.length === index.names.length;
  return {
    status: 'planned',
    forwarded,
    candidates: listCandidates(index, input.newest, alwaysIn),
    intent: classifyIntent(request.userTurns.at(-1) ?? '', request.recentResults.length > 0),
    method: input.method,
    k: isWhole ? null : forwarded.filter((position) => !alwaysIn.has(position)).length,
    kReason: explain(request, set),
    bucket: bucketOf(classifyIntent(request.userTurns[0] ?? '', false), index.names.length),
    isShadow: false,
    recovery: { armed: false, way: 'in_place' },
    worth: null,
    policyVersion: `${input.method}.1/${policy.version}`,
  };
}

/** Ascending positions. Tools of one name go together: a call by that name could mean any of them. */
function listForwarded(
  index: ToolListIndex,
  { positions }: SessionSet,
  alwaysIn: ReadonlyMap<number, AlwaysInReason>,
): number[] {
  if (positions === undefined) return [...index.names.keys()];
  const forwarded = new Set<number>();
  for (const position of [...positions, ...alwaysIn.keys()]) {
    forwarded.add(position);
    const name = index.names[position] ?? null;
    if (name === null) continue;
    for (const namesake of index.positionsByName.get(name) ?? []) forwarded.add(namesake);
  }
  return [...forwarded].sort((one, other) => one - other);
}

function listCandidates(
  index: ToolListIndex,
  newest: TurnRanking | undefined,
  alwaysIn: ReadonlyMap<number, AlwaysInReason>,
): PlannedTools['candidates'] {
  const order = newest?.order ?? index.names.keys();
  return Array.from(order, (position) => {
    const because = alwaysIn.get(position);
    const score = Math.round((newest?.scores[position] ?? 0) * 1000) / 1000;
    return { position, score, ...(because === undefined ? {} : { alwaysIn: because }) };
  });
}

/** `prior` is said once, when the set is chosen; from then on it is `frozen`, or `grown` by the newest turn. */
function explain(request: PlanToolsRequest, set: SessionSet): PlannedTools['kReason'] {
  if (set.reason !== 'prior') return set.reason;
  const isFirst =
    request.userTurns.length <= 1 && request.calledTools.length === 0 && request.recentResults.length === 0;
  if (isFirst) return 'prior';
  return set.grown && request.recentResults.length === 0 ? 'grown' : 'frozen';
}
