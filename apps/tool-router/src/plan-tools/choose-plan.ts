import type {
  AccountHead,
  PlannedConversation,
  PlanToolsReply,
  PlanToolsRequest,
  RoutingPolicy,
} from '@gateway/contracts';
import { bucketOf, decideBucket, isLearning } from '@gateway/contracts';
import type { Pieces } from '@gateway/messaging';
import type { IntentClass } from '@gateway/interchange';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { TurnRanking } from '../ranking/ranker.port.ts';
import { explainLearned, findHead, isLearned, learnRanking } from '../ranking/learned-ranking.ts';
import { classifyIntent } from './turn-signals.ts';
import { priorFor, type DeferralMode, type RecallPriors } from '../policy/recall-prior.ts';
import { findAlwaysIn, findPinned, keepReachable, type AlwaysInReason } from './always-in.ts';
import { weighTurn, type RankedTurn } from './grow-set.ts';
import { heldFromBoth, type HeldFrom, type TurnsToPlan } from './replay-grid.ts';
import { chooseToolSet, type ToolSet, type ToolSetOptions } from './tool-set.ts';

export type PlannedTools = Extract<PlanToolsReply, { status: 'planned' }>;

/** The conversation's tool set, if an earlier request has chosen a tool set. */
export function decidedSession({
  session,
}: Pick<PlanToolsRequest, 'session'>): PlannedConversation | undefined {
  return session?.isUndecided === true ? undefined : session;
}

type RankedTools = Pick<TurnRanking, 'order' | 'scores' | 'method' | 'rankedBy'>;

interface PlanInput {
  readonly request: PlanToolsRequest;
  readonly index: KeywordIndex;
  /**
   * The user turns that can add tools, oldest first. For a stored conversation that is not a shadow
   * conversation, the list contains only the turns after the stored turns.
   */
  readonly turns: readonly RankedTurn[];
  /** Number of turns at the start of `turns` that the stored conversation already covers. */
  readonly rememberedTurns: number;
  /**
   * The ranking for the newest turn, even if the newest turn cannot add tools. Undefined if the request has no
   * user turns.
   */
  readonly newest: RankedTools | undefined;
  /** Positions of the tools that are mentioned in at least one user turn. */
  readonly mentioned: ReadonlySet<number>;
  readonly priors: RecallPriors;
  /** The account's routing policy. Null if the account has no measurements. */
  readonly measured: RoutingPolicy | null;
}

/**
 * Chooses the plan for a request. The plan depends only on the request, its tool list and the routing policy.
 */
export function* choosePlan(given: PlanInput): Pieces<PlannedTools> {
  const { request, index } = given;
  const input = { ...given, turns: yield* weighTurns(given) };
  const session = decidedSession(request);
  const intent = classifyIntent(request.userTurns[0] ?? '', false);
  const bucket = bucketOf(intent, index.names.length);
  const plain = { turns: input.turns, options: optionsFor(input, intent) };
  const learned = yield* learnTurns(input, plain.options);
  const isUsed = learned !== undefined && usesHead(session, plain.options);
  const { turns, options } = isUsed ? learned : plain;
  const set = yield* chooseToolSet(index, turns.slice(input.rememberedTurns), options);
  yield;
  const shadow = drawShadow(input, set.reason, bucket);
  const alwaysIn = keepReachable(findAlwaysIn(request, index, input.mentioned), set, input.mentioned);
  const forwarded = listForwarded(index, withRecovered(index, set, request), alwaysIn);
  const held = shadow.isShadow ? yield* heldFromBoth(input, plain, learned) : undefined;
  yield;
  const isWhole = forwarded.length === index.names.length;
  const rankedBy = set.rankedBy ?? input.newest?.rankedBy;
  const method = session?.lane ?? methodOf(rankedBy);
  return {
    status: 'planned',
    forwarded,
    chosen: [...(set.positions ?? index.names.keys())].sort((one, other) => one - other),
    candidates: listCandidates(input, isUsed ? learned.head : undefined, alwaysIn, held),
    intent: classifyIntent(request.userTurns.at(-1) ?? '', request.recentResults.length > 0),
    method,
    k: isWhole ? null : forwarded.filter((position) => !alwaysIn.has(position)).length,
    kReason: explain(request, set),
    bucket,
    ...shadow,
    recovery: set.recovery.armed && !isWhole ? set.recovery : { armed: false, way: 'in_place' },
    way: set.recovery.armed ? set.recovery.way : null,
    isUndecided: set.isUndecided,
    worth: set.worth,
    policyVersion: session?.policyVersion ?? renderVersion(input, method, rankedBy),
  };
}

/** If the provider defers tools, orders the tools of each turn by score and by the cost of their definitions. */
function* weighTurns({ request, index, turns }: PlanInput): Pieces<readonly RankedTurn[]> {
  const { deferredCost } = request;
  if (deferredCost === undefined) return turns;
  const weighed: RankedTurn[] = [];
  for (const turn of turns) {
    yield;
    weighed.push(weighTurn(turn, index, deferredCost));
  }
  return weighed;
}

function optionsFor({ request, index, priors, measured }: PlanInput, intent: IntentClass): ToolSetOptions {
  return {
    priors,
    decision: decideBucket(measured, { intent, tools: index.names.length }),
    recallTarget: measured?.recallTarget ?? request.recallTarget,
    kOverride: request.kOverride,
    mayRecover: request.mayRecover ?? false,
    appends: request.appends ?? false,
    deferral: deferralOf(request),
    price: request.price,
    pinned: new Set(findPinned(request, index).keys()),
    remembered: decidedSession(request),
    lateTokens: request.session?.lateTokens,
  };
}

function deferralOf(request: PlanToolsRequest): DeferralMode | undefined {
  const { deferredCost, appends, mayRecover, isFinal } = request;
  if (isFinal === true) return 'pruned';
  if (deferredCost === undefined || mayRecover !== true) return undefined;
  if (deferredCost === 'description') return 'described';
  return appends === true ? 'loading' : 'constant';
}

/**
 * Ranks the turns with the account head that fits the tool list. Returns undefined if no account head fits, or if the
 * account head cannot rank every turn.
 */
function* learnTurns(
  { request, index, turns, rememberedTurns, measured }: PlanInput,
  options: ToolSetOptions,
): Pieces<(TurnsToPlan & { readonly head: AccountHead }) | undefined> {
  const head = findHead(measured, index);
  if (head === undefined || turns.length === 0) return undefined;
  const remembered = Math.min(decidedSession(request)?.turns ?? 0, request.userTurns.length);
  const firstTurn = remembered - rememberedTurns;
  const ranked: RankedTurn[] = [];
  for (const [at, turn] of turns.entries()) {
    yield;
    const called = request.calledTools.slice(0, request.calledBefore?.[firstTurn + at] ?? 0);
    ranked.push({ ...turn, ranking: learnRanking(index, turn.ranking, head, called) });
  }
  if (!ranked.every(({ ranking }) => isLearned(ranking.rankedBy))) return undefined;
  const { decision } = options;
  return { head, turns: ranked, options: { ...options, decision: { ...decision, ...decision.learned } } };
}

/**
 * Whether the account head ranks the conversation. A conversation keeps the ranker of its first plan. Without recovery,
 * the account head is used only if its K without recovery is not larger.
 */
function usesHead(
  session: PlannedConversation | undefined,
  { decision: { learned, kWithoutRecovery }, mayRecover }: ToolSetOptions,
): boolean {
  if (session !== undefined) return isLearned(session.policyVersion);
  if (learned === null) return false;
  return mayRecover || (learned.kWithoutRecovery ?? Infinity) <= (kWithoutRecovery ?? Infinity);
}

/**
 * Decides at random whether a new conversation becomes a shadow conversation. A stored conversation keeps its
 * earlier decision, unless a plan missed its deadline before a tool set was chosen.
 */
function drawShadow(
  { request, measured }: PlanInput,
  reason: ToolSet['reason'],
  bucket: string,
): Pick<PlannedTools, 'isShadow' | 'shadowShare'> {
  const { session, shadow } = request;
  const isDrawn =
    session !== undefined && !(session.isUndecided === true && session.lateTokens !== undefined);
  if (isDrawn) return { isShadow: session.isShadow };
  const shadowShare = shareOfShadow(request, reason, measured, bucket);
  return (shadow?.at ?? 1) < shadowShare ? { isShadow: true, shadowShare } : { isShadow: false };
}

/**
 * Combines the versions of the ranking, the prior and the account's routing policy. Plans with equal versions choose
 * the same tools for the same request.
 */
function renderVersion(
  { request, priors, measured }: PlanInput,
  method: PlannedTools['method'],
  rankedBy = `${method}.1`,
): string {
  const prior = priorFor(priors, { method, rankedBy });
  const { version } = deferralOf(request) === undefined ? prior : prior.deferral;
  return `${rankedBy}/${version}${measured === null ? '' : `/${measured.version}`}`;
}

/** The ranking method. The method is the first part of `TurnRanking.rankedBy`. */
function methodOf(rankedBy: string | undefined): PlannedTools['method'] {
  return rankedBy?.startsWith('semantic.') === true ? 'semantic' : 'keyword';
}

/** In `regrown` mode, recovered tools are forwarded in all later requests. */
function withRecovered(index: KeywordIndex, set: ToolSet, request: PlanToolsRequest): ToolSet {
  const { recoveredTools = [] } = request;
  const isFixed = set.recovery.armed && set.recovery.way === 'in_place';
  if (set.positions === undefined || isFixed || recoveredTools.length === 0) return set;
  const found = recoveredTools.flatMap((name) => index.positionsByName.get(name) ?? []);
  return { ...set, positions: new Set([...set.positions, ...found]) };
}

/**
 * Positions of the forwarded tools in ascending order. Tools with the same name are forwarded together, because
 * a call could refer to any of them.
 */
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

/** @param head the account head that ranked the conversation. Undefined if no head ranked the conversation. */
function listCandidates(
  { request, index, newest }: PlanInput,
  head: AccountHead | undefined,
  alwaysIn: ReadonlyMap<number, AlwaysInReason>,
  held: HeldFrom | undefined,
): PlannedTools['candidates'] {
  const explained =
    head === undefined || newest === undefined
      ? undefined
      : explainLearned(index, newest, head, request.calledTools.slice(0, request.calledBefore?.at(-1) ?? 0));
  const { order, scores } = explained?.ranking ?? newest ?? { order: index.names.keys(), scores: [] };
  return Array.from(order, (position) => {
    const because = alwaysIn.get(position);
    const heldFromK = held?.plain.get(position);
    const learnedFromK = held?.learned?.get(position);
    const unlearned = explained?.unlearned.get(position);
    return {
      position,
      score: Math.round((scores[position] ?? 0) * 1000) / 1000,
      ...(because === undefined ? {} : { alwaysIn: because }),
      ...(heldFromK === undefined ? {} : { heldFromK }),
      ...(learnedFromK === undefined ? {} : { learnedFromK }),
      ...(unlearned === undefined ? {} : { unlearned }),
    };
  });
}

/**
 * Returns the reason that the plan reports. If all tools are sent, or if the first request chooses the tool
 * set, this is the reason for K (the number of ranked tools). If the tool set is chosen after requests with all
 * tools, the plan reports the reason `decided`. Plans for later turns report the reason `frozen`, or `grown` if
 * the newest turn added tools.
 */
function explain(request: PlanToolsRequest, set: ToolSet): PlannedTools['kReason'] {
  const { session, userTurns, calledTools, recentResults } = request;
  if (set.reason === 'override' || set.reason === 'short_list') return set.reason;
  if (set.positions === undefined) return set.reason;
  const isAnswered = recentResults.length > 0;
  if (set.decidedAt !== null) {
    if (session !== undefined) return 'decided';
    const isNewest = set.decidedAt === userTurns.length - 1 && !isAnswered;
    if (isNewest && set.decidedAt > 0) return 'decided';
    if (isNewest && calledTools.length === 0) return set.reason;
  }
  return set.grown && !isAnswered ? 'grown' : 'frozen';
}

/**
 * The probability that the conversation is selected as a shadow conversation. A shadow conversation gets a
 * plan, but all its tools are forwarded. The random decision depends only on the first turn. The gateway
 * stores the decision, and a repeated computation leads to the same decision. A conversation with a short
 * tool list or an override of K is never a shadow conversation, because its plans do not measure recall.
 */
export function shareOfShadow(
  { shadow }: Pick<PlanToolsRequest, 'shadow'>,
  reason: ToolSet['reason'],
  measured: RoutingPolicy | null,
  bucket: string,
): number {
  if (shadow === undefined || reason === 'short_list' || reason === 'override') return 0;
  return isLearning(measured, bucket) ? (shadow.learning ?? shadow.share) : shadow.share;
}
