import { bucketOf, type PlanToolsReply, type PlanToolsRequest, type RoutingPolicy } from '@gateway/contracts';
import type { ToolListIndex } from '../ranking/tool-list-index.ts';
import type { TurnRanking } from '../ranking/ranker.port.ts';
import { findAlwaysIn, findPinned, type AlwaysInReason } from './always-in.ts';
import { drawShadow } from './draw-shadow.ts';
import { classifyIntent } from './intent.ts';
import type { RecallPriors } from './recall-prior.ts';
import type { RankedTurn } from './ranked-turn.ts';
import { chooseSessionSet, recoveredShareExpected, type SessionSet } from './session-set.ts';

export type PlannedTools = Extract<PlanToolsReply, { status: 'planned' }>;

export interface PlanInput {
  readonly request: PlanToolsRequest;
  readonly index: ToolListIndex;
  /** By user turn, oldest first: the turns that may grow the set. With a memo, those that it does not hold. */
  readonly turns: readonly RankedTurn[];
  /** The ranking for the newest turn, whether or not it may grow the set; undefined without user turns. */
  readonly newest: TurnRanking | undefined;
  /** Positions that any user turn names. */
  readonly mentioned: ReadonlySet<number>;
  readonly priors: RecallPriors;
  /** What the account has measured. */
  readonly measured: RoutingPolicy | null;
}

/** The plan of a request: a pure function of the request, its list and the policy. */
export function choosePlan(input: PlanInput): PlannedTools {
  const { request, index, measured } = input;
  const { session } = request;
  const pinned = new Set(findPinned(request, index).keys());
  const intent = classifyIntent(request.userTurns[0] ?? '', false);
  const bucket = bucketOf(intent, index.names.length);
  const set = chooseSessionSet(index, input.turns, {
    priors: input.priors,
    measured,
    intent,
    recallTarget: request.recallTarget,
    kOverride: request.kOverride,
    mayRecover: request.mayRecover ?? false,
    recoveredShare: recoveredShareExpected,
    price: request.price,
    pinned,
    session,
  });
  const alwaysIn = keepReachable(findAlwaysIn(request, index, input.mentioned), set, input.mentioned);
  const forwarded = listForwarded(index, withRecovered(index, set, request), alwaysIn);
  const isWhole = forwarded.length === index.names.length;
  const method = session?.lane ?? input.newest?.method ?? 'keyword';
  return {
    status: 'planned',
    forwarded,
    chosen: [...(set.positions ?? index.names.keys())].sort((one, other) => one - other),
    candidates: listCandidates(index, input.newest, alwaysIn),
    intent: classifyIntent(request.userTurns.at(-1) ?? '', request.recentResults.length > 0),
    method,
    k: isWhole ? null : forwarded.filter((position) => !alwaysIn.has(position)).length,
    kReason: explain(request, set),
    bucket,
    isShadow: drawShadow(request, set.reason, measured, bucket),
    recovery: set.recovery.armed && !isWhole ? set.recovery : { armed: false, way: 'in_place' },
    worth: set.worth,
    policyVersion: session?.policyVersion ?? renderVersion(input, method),
  };
}

/** Ranker, prior, and what the account has measured: equal versions choose equally. */
function renderVersion({ newest, priors, measured }: PlanInput, method: PlannedTools['method']): string {
  const rankedBy = newest?.rankedBy ?? `${method}.1`;
  return `${rankedBy}/${priors[method].version}${measured === null ? '' : `/${measured.version}`}`;
}

/** In place tools and prefix never change: a tool that was called while it was out stays out, and reachable. */
function keepReachable(
  alwaysIn: Map<number, AlwaysInReason>,
  { positions, recovery }: SessionSet,
  mentioned: ReadonlySet<number>,
): Map<number, AlwaysInReason> {
  if (positions === undefined || !recovery.armed || recovery.way !== 'in_place') return alwaysIn;
  return new Map(
    [...alwaysIn].filter(
      ([position, because]) => because !== 'called' || positions.has(position) || mentioned.has(position),
    ),
  );
}

/** What hidden rounds brought back is in from then on, where the list may change. */
function withRecovered(index: ToolListIndex, set: SessionSet, request: PlanToolsRequest): SessionSet {
  const { recoveredTools = [] } = request;
  const isFixed = set.recovery.armed && set.recovery.way === 'in_place';
  if (set.positions === undefined || isFixed || recoveredTools.length === 0) return set;
  const found = recoveredTools.flatMap((name) => index.positionsByName.get(name) ?? []);
  return { ...set, positions: new Set([...set.positions, ...found]) };
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

/** Why a set is as it is, is said once, when it is chosen; from then on it is `frozen`, or `grown` by the newest turn. */
function explain(request: PlanToolsRequest, set: SessionSet): PlannedTools['kReason'] {
  if (set.reason === 'override' || set.reason === 'short_list') return set.reason;
  const isFirst =
    request.session === undefined &&
    request.userTurns.length <= 1 &&
    request.calledTools.length === 0 &&
    request.recentResults.length === 0;
  if (isFirst || (set.positions === undefined && request.session === undefined)) return set.reason;
  return set.grown && request.recentResults.length === 0 ? 'grown' : 'frozen';
}
