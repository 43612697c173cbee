import { createHash } from 'node:crypto';
import type { PlannedSession, PlanPrice, PlanToolsRequest } from '@gateway/contracts';
import { ToolPlanner } from '../../../apps/tool-router/src/plan-tools/plan-tools.ts';
import type { PlannedTools } from '../../../apps/tool-router/src/plan-tools/choose-plan.ts';
import type { RecallPriors } from '../../../apps/tool-router/src/plan-tools/recall-prior.ts';
import { noPolicies } from '../../../apps/tool-router/src/plan-tools/routing-policies.port.ts';
import type { ToolRanker } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import type { ToolListIndex } from '../../../apps/tool-router/src/ranking/tool-list-index.ts';
import { SharedPrefixes, type BilledCall } from './bill.ts';
import type { EvalList, EvalRequest, EvalSession } from './eval-session.ts';

/** What the model writes to ask the stand-in for a tool, and what a message takes beside its text. */
const askTokens = 60;
const messageTokens = 4;
const standInTokens = 180;
const nameTokens = 5;

/** A session against a list, ready to be replayed under many settings. */
export interface ReplaySubject {
  readonly session: EvalSession;
  readonly list: EvalList;
  readonly index: ToolListIndex;
  readonly ranker: ToolRanker;
  readonly priors: RecallPriors;
}

export interface ReplaySettings {
  readonly recallTarget: number;
  readonly kOverride: number | null;
  /** How what is left out stays reachable. `priced`: as the router chooses. */
  readonly net: 'none' | 'priced' | 'in_place' | 'regrown';
  readonly price: Omit<PlanPrice, 'listTokens' | 'headTokens'>;
}

export interface ReplayOutcome {
  readonly calls: readonly BilledCall[];
  /** Calls of tools that the session makes, and those of them whose tool was forwarded by the plan itself. */
  readonly needs: number;
  readonly forwarded: number;
  /** The others: to each, the how-manieth need of its tool it was, which is how many chances there were to use the net. */
  readonly chances: readonly number[];
  /** Hidden rounds, if the net is used at the first chance. */
  readonly rounds: number;
  /** Mean share of the list that was forwarded. */
  readonly kept: number;
}

interface Running {
  readonly prefixes: SharedPrefixes;
  readonly called: Set<string>;
  readonly recovered: Set<string>;
  /** By tool. */
  readonly missed: Map<string, number>;
  readonly chances: number[];
  remembered: PlannedSession | undefined;
  tail: number;
  needs: number;
  forwarded: number;
  rounds: number;
  kept: number;
}

/** Sends a session through the router's own planner, request by request, and counts what providers would bill. */
export async function replaySession(
  subject: ReplaySubject,
  settings: ReplaySettings,
): Promise<ReplayOutcome> {
  const { session, index } = subject;
  const planner = new ToolPlanner({
    lists: { find: () => ({ status: 'known', index }) },
    ranker: subject.ranker,
    priors: subject.priors,
    policies: noPolicies,
    instanceId: 'eval',
  });
  const running: Running = {
    prefixes: new SharedPrefixes(),
    called: new Set(),
    recovered: new Set(),
    missed: new Map(),
    chances: [],
    remembered: undefined,
    tail: session.systemTokens,
    needs: 0,
    forwarded: 0,
    rounds: 0,
    kept: 0,
  };
  for (const request of session.requests) {
    running.tail += request.newTokens + messageTokens;
    const planned = await planRequest(planner, subject, settings, request, running);
    answer(subject, request, planned, running);
    running.tail += request.outputTokens + messageTokens;
  }
  const { needs, forwarded, chances, rounds } = running;
  const kept = running.kept / Math.max(1, session.requests.length);
  return { calls: running.prefixes.calls, needs, forwarded, chances, rounds, kept };
}

async function planRequest(
  planner: ToolPlanner,
  subject: ReplaySubject,
  settings: ReplaySettings,
  { userTurns }: EvalRequest,
  running: Running,
): Promise<PlannedTools> {
  const reply = await planner.plan(questionOf(subject, settings, userTurns, running));
  if (reply.status !== 'planned') throw new Error('the list is known');
  const isForced = settings.net === 'in_place' || settings.net === 'regrown';
  const way = isForced ? settings.net : reply.recovery.way;
  const { armed } = reply.recovery;
  running.remembered = {
    forwarded: reply.chosen ?? reply.forwarded,
    turns: userTurns.length,
    policyVersion: reply.policyVersion,
    lane: reply.method,
    way: armed ? way : null,
    isShadow: false,
  };
  running.kept += reply.forwarded.length / subject.list.tools.length;
  return { ...reply, recovery: { armed, way } };
}

function questionOf(
  { session, list, index }: ReplaySubject,
  { net, kOverride, recallTarget, price }: ReplaySettings,
  userTurns: readonly string[],
  { called, recovered, remembered }: Running,
): PlanToolsRequest {
  return {
    accountId: '019a9f5e-0000-7000-8000-000000000001',
    requestId: '019a9f5e-0000-7000-8000-000000000002',
    listHash: index.listHash,
    userTurns: userTurns.map((turn) => turn.slice(0, 1000)),
    calledTools: [...called],
    recentResults: [],
    forcedTools: [],
    pinned: [],
    kOverride,
    recallTarget,
    recoveredTools: [...recovered],
    mayRecover: net !== 'none',
    price: {
      ...price,
      listTokens: list.tokens.reduce((sum, tokens) => sum + tokens, 0),
      headTokens: session.systemTokens + (session.requests[0]?.newTokens ?? 0),
    },
    ...(remembered === undefined ? {} : { session: remembered }),
  };
}

/** The model answers by the plan: with the call it wants to make, or asks the net for it first, or goes without. */
function answer(
  { list, index }: ReplaySubject,
  { needed, outputTokens }: EvalRequest,
  { forwarded, recovery }: PlannedTools,
  running: Running,
): void {
  const send = (positions: readonly number[], tail: number, output: number): void =>
    sendCall(list, positions, recovery.armed, tail, output, running.prefixes);
  const position = needed === undefined ? undefined : index.positionsByName.get(needed)?.[0];
  if (needed === undefined || position === undefined) return send(forwarded, running.tail, outputTokens);
  const isIn = forwarded.includes(position);
  countNeed(needed, isIn, recovery.armed, running);
  // Once it has called a tool by the stand-in, the model sees that call, and makes the next one like it.
  if (isIn || !recovery.armed || running.recovered.has(needed))
    return send(forwarded, running.tail, outputTokens);
  running.recovered.add(needed);
  running.rounds += 1;
  send(forwarded, running.tail, askTokens);
  if (recovery.way === 'regrown')
    return send(
      [...forwarded, position].sort((one, other) => one - other),
      running.tail,
      outputTokens,
    );
  const shown = running.tail + askTokens + (list.tokens[position] ?? 0) + 2 * messageTokens;
  send(forwarded, shown, outputTokens);
}

/** What is in since the net brought it back, is in by the net. */
function countNeed(needed: string, isIn: boolean, isArmed: boolean, running: Running): void {
  running.needs += 1;
  if (isIn || isArmed) running.called.add(needed);
  if (isIn && !running.recovered.has(needed)) {
    running.forwarded += 1;
    return;
  }
  if (!isArmed) return;
  const chances = (running.missed.get(needed) ?? 0) + 1;
  running.missed.set(needed, chances);
  running.chances.push(chances);
}

function sendCall(
  { tools, tokens }: EvalList,
  positions: readonly number[],
  isArmed: boolean,
  tail: number,
  output: number,
  prefixes: SharedPrefixes,
): void {
  const leftOut = tools.length - positions.length;
  // Stand-ins for different numbers of tools are different tools.
  const standIn = -1 - leftOut;
  const sent = isArmed && leftOut > 0 ? [...positions, standIn] : positions;
  const tokensAt = (position: number): number =>
    position < 0 ? standInTokens + nameTokens * leftOut : (tokens[position] ?? 0);
  prefixes.add(sent, tokensAt, tail, output);
}

/** From 0 to 1, the same in every run. */
export function draw(seed: string): number {
  return createHash('md5').update(seed).digest().readUInt32BE(0) / 0x1_0000_0000;
}

/** Everything with every request, or the best K of its newest turn: what a gateway without sessions does. */
export async function replayStateless(
  { session, list, index, ranker }: ReplaySubject,
  k: number | null,
): Promise<ReplayOutcome> {
  const prefixes = new SharedPrefixes();
  const all = [...list.tools.keys()];
  const counts = { needs: 0, forwarded: 0, kept: 0 };
  let tail = session.systemTokens;
  for (const { userTurns, newTokens, outputTokens, needed } of session.requests) {
    tail += newTokens + messageTokens;
    const ranking =
      k === null ? null : await ranker.rank(index, { turns: userTurns, at: userTurns.length - 1 });
    const sent =
      ranking === null ? all : [...ranking.order.subarray(0, k ?? 0)].sort((one, other) => one - other);
    const position = needed === undefined ? undefined : index.positionsByName.get(needed)?.[0];
    if (needed !== undefined) counts.needs += 1;
    if (position !== undefined && sent.includes(position)) counts.forwarded += 1;
    counts.kept += sent.length / list.tools.length / session.requests.length;
    sendCall(list, sent, false, tail, outputTokens, prefixes);
    tail += outputTokens + messageTokens;
  }
  return { calls: prefixes.calls, ...counts, chances: [], rounds: 0 };
}
