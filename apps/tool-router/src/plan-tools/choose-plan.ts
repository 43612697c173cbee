import type { PlanToolsReply, PlanToolsRequest, RoutingPolicy } from '@gateway/contracts';
import { bucketOf } from '@gateway/contracts';
import type { ToolCandidate } from '@gateway/interchange';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { TurnRanking } from '../ranking/ranker.port.ts';
import { classifyIntent } from './turn-signals.ts';
import type { RecallPriors } from '../policy/recall-prior.ts';
import type { RankedTurn } from './grow-set.ts';
import type { ToolSet } from './tool-set.ts';
import { chooseToolSet, recoveredShareExpected } from './tool-set.ts';

export type PlannedTools = Extract<PlanToolsReply, { status: 'planned' }>;

interface PlanInput {
  readonly request: PlanToolsRequest;
  readonly index: KeywordIndex;
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
  const set = chooseToolSet(index, input.turns, {
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
  { positions, recovery }: ToolSet,
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
function withRecovered(index: KeywordIndex, set: ToolSet, request: PlanToolsRequest): ToolSet {
  const { recoveredTools = [] } = request;
  const isFixed = set.recovery.armed && set.recovery.way === 'in_place';
  if (set.positions === undefined || isFixed || recoveredTools.length === 0) return set;
  const found = recoveredTools.flatMap((name) => index.positionsByName.get(name) ?? []);
  return { ...set, positions: new Set([...set.positions, ...found]) };
}

/** Ascending positions. Tools of one name go together: a call by that name could mean any of them. */
function listForwarded(
  index: KeywordIndex,
  { positions }: ToolSet,
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
  index: KeywordIndex,
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
function explain(request: PlanToolsRequest, set: ToolSet): PlannedTools['kReason'] {
  if (set.reason === 'override' || set.reason === 'short_list') return set.reason;
  const isFirst =
    request.session === undefined &&
    request.userTurns.length <= 1 &&
    request.calledTools.length === 0 &&
    request.recentResults.length === 0;
  if (isFirst || (set.positions === undefined && request.session === undefined)) return set.reason;
  return set.grown && request.recentResults.length === 0 ? 'grown' : 'frozen';
}

type AlwaysInReason = NonNullable<ToolCandidate['alwaysIn']>;

/**
 * Positions that are forwarded whatever they score, and why. The first reason found is the one that is told:
 * what the list fixes comes before what the transcript adds.
 */
function findAlwaysIn(
  request: PlanToolsRequest,
  index: KeywordIndex,
  mentioned: ReadonlySet<number>,
): Map<number, AlwaysInReason> {
  const alwaysIn = findPinned(request, index);
  const add = (position: number, because: AlwaysInReason): void => {
    if (!alwaysIn.has(position)) alwaysIn.set(position, because);
  };
  const addByName = (name: string, because: AlwaysInReason): void => {
    for (const position of index.positionsByName.get(name) ?? []) add(position, because);
  };
  for (const name of request.forcedTools) addByName(name, 'tool_choice');
  for (const name of request.calledTools) addByName(name, 'called');
  for (const position of mentioned) add(position, 'mentioned');
  return alwaysIn;
}

/** Those that the list itself fixes: built-in tools, and tools with a cache marker. */
function findPinned(
  request: Pick<PlanToolsRequest, 'pinned'>,
  index: KeywordIndex,
): Map<number, AlwaysInReason> {
  const pinned = new Map<number, AlwaysInReason>();
  for (const { position, because } of request.pinned) {
    if (position < index.names.length) pinned.set(position, because);
  }
  index.names.forEach((name, position) => {
    if (name === null && !pinned.has(position)) pinned.set(position, 'built_in');
  });
  return pinned;
}

/** Sessions of a bucket from which on the account's own share is enough. */
const samplesWanted = 100;
/** Until then so many times the share are drawn: 20% where it is 5%. */
const beginningFactor = 4;

/**
 * Whether a session goes out whole while its plan is made. Decided by its first turn alone, and the same with every later
 * one: the memo holds it, and without the memo the same draw falls. Where nothing could be left out, or an override says
 * what goes out, there is nothing to measure.
 */
export function drawShadow(
  { session, shadow }: Pick<PlanToolsRequest, 'session' | 'shadow'>,
  reason: ToolSet['reason'],
  measured: RoutingPolicy | null,
  bucket: string,
): boolean {
  if (session !== undefined) return session.isShadow;
  if (shadow === undefined || reason === 'short_list' || reason === 'override') return false;
  const samples = measured?.buckets.find((each) => each.bucket === bucket)?.samples ?? 0;
  const share = samples < samplesWanted ? Math.min(1, shadow.share * beginningFactor) : shadow.share;
  return shadow.at < share;
}
