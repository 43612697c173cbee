import { createHash } from 'node:crypto';
import type { PlanToolsRequest } from '@gateway/contracts';
import type { ToolPlanner } from '../../../apps/tool-router/src/plan-tools/plan-tools.ts';
import type { PlannedTools } from '../../../apps/tool-router/src/plan-tools/choose-plan.ts';
import { SharedPrefixes } from './bill.ts';
import type { EvalList, EvalRequest } from './eval-session.ts';
import type { ReplaySubject, ReplaySettings, ReplayOutcome } from './replay.ts';
import {
  askRouter,
  countChance,
  messageTokens,
  renderQuestion,
  replayRequests,
  type ReplayState,
} from './replay-state.ts';

/** The number of tokens in one call to the recovery tool. */
const askTokens = 60;
const standInTokens = 180;
const nameTokens = 5;

/**
 * Sends a session through the tool router's own planner, request by request. Counts the tokens that a
 * provider would bill.
 */
export function replaySession(subject: ReplaySubject, settings: ReplaySettings): Promise<ReplayOutcome> {
  return replayRequests(subject, settings.policy ?? null, async (request, planner, state) => {
    const planned = await planRequest(planner, subject, settings, request, state);
    noteLabel(subject, request, planned, state);
    answer(subject, request, planned, state);
  });
}

/** Returns the plan for a session's first request. */
export async function planFirst(subject: ReplaySubject, settings: ReplaySettings): Promise<PlannedTools> {
  const { session } = subject;
  const first = { ...subject, session: { ...session, requests: session.requests.slice(0, 1) } };
  const plans: PlannedTools[] = [];
  await replayRequests(first, settings.policy ?? null, async (request, planner, state) => {
    plans.push(await planRequest(planner, first, settings, request, state));
  });
  const [plan] = plans;
  if (plan === undefined) throw new Error('the session has no request');
  return plan;
}

async function planRequest(
  planner: ToolPlanner,
  subject: ReplaySubject,
  settings: ReplaySettings,
  request: EvalRequest,
  state: ReplayState,
): Promise<PlannedTools> {
  const { net } = settings;
  const question: PlanToolsRequest = {
    ...renderQuestion(subject, settings, request, state),
    recoveredTools: [...state.recovered],
    mayRecover: net !== 'none' && settings.isFinal !== true,
    ...(settings.isFinal === true ? { isFinal: true } : {}),
    ...(settings.appends === true ? { appends: true } : {}),
    ...(settings.deferredCost === undefined ? {} : { deferredCost: settings.deferredCost }),
  };
  const wayOf = ({ recovery }: PlannedTools) =>
    net === 'in_place' || net === 'regrown' ? net : recovery.way;
  const reply = await askRouter(planner, question, state, subject.list.tools.length, wayOf);
  return { ...reply, recovery: { armed: reply.recovery.armed, way: wayOf(reply) } };
}

/** When the model first needs a tool, stores the smallest K that forwards the tool. */
function noteLabel(
  { index }: ReplaySubject,
  { needed }: EvalRequest,
  { candidates }: PlannedTools,
  { heldFromK, learnedFromK }: ReplayState,
): void {
  if (needed === undefined || heldFromK.has(needed)) return;
  const position = index.positionsByName.get(needed)?.[0];
  const label = candidates.find((candidate) => candidate.position === position);
  if (label?.heldFromK !== undefined) heldFromK.set(needed, label.heldFromK);
  if (label?.learnedFromK !== undefined) learnedFromK.set(needed, label.learnedFromK);
}

/**
 * Adds the model's response to a planned request. The model calls the tool directly, calls the recovery tool
 * first, or continues without the tool.
 */
function answer(
  { list, index }: ReplaySubject,
  { needed, outputTokens }: EvalRequest,
  { forwarded, recovery }: PlannedTools,
  state: ReplayState,
): void {
  const send = (positions: readonly number[], tail: number, output: number): void =>
    sendCall(list, positions, recovery.armed, tail, output, state.prefixes);
  const position = needed === undefined ? undefined : index.positionsByName.get(needed)?.[0];
  if (needed === undefined || position === undefined) return send(forwarded, state.tail, outputTokens);
  const isIn = forwarded.includes(position);
  countNeed(needed, isIn, recovery.armed, state);
  // After a recovery call, the transcript contains the call.
  // After a recovery call, the model calls the recovered tool through the recovery tool.
  if (isIn || !recovery.armed || state.recovered.has(needed))
    return send(forwarded, state.tail, outputTokens);
  state.recovered.add(needed);
  state.rounds += 1;
  send(forwarded, state.tail, askTokens);
  if (recovery.way === 'regrown')
    return send(
      [...forwarded, position].sort((one, other) => one - other),
      state.tail,
      outputTokens,
    );
  const shown = state.tail + askTokens + (list.tokens[position] ?? 0) + 2 * messageTokens;
  send(forwarded, shown, outputTokens);
}

/**
 * Records that the model needed a tool. A tool that recovery added is recorded as recovered. Without recovery,
 * a pruned tool counts as missed when the model first needs it.
 */
function countNeed(needed: string, isIn: boolean, isArmed: boolean, state: ReplayState): void {
  state.needs += 1;
  if (isIn || isArmed) state.called.add(needed);
  if (isIn && !state.recovered.has(needed)) {
    state.forwarded += 1;
    return;
  }
  if (isArmed) countChance(needed, state);
  else if (!state.missed.has(needed)) state.missed.set(needed, 1);
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
  // Two recovery tools differ if they replace different numbers of tools.
  const standIn = -1 - leftOut;
  const sent = isArmed && leftOut > 0 ? [...positions, standIn] : positions;
  const tokensAt = (position: number): number =>
    position < 0 ? standInTokens + nameTokens * leftOut : (tokens[position] ?? 0);
  prefixes.add(sent, tokensAt, tail, output);
}

/** Returns a number from 0 to 1. A given seed produces the same number in every run. */
export function draw(seed: string): number {
  return createHash('md5').update(seed).digest().readUInt32BE(0) / 0x1_0000_0000;
}

/**
 * Replays a session as a gateway that ignores conversations would. Each request contains all tools, or only
 * the K best tools for the latest turn.
 */
export async function replayStateless(
  { session, list, index, ranker }: ReplaySubject,
  k: number | null,
): Promise<ReplayOutcome> {
  const prefixes = new SharedPrefixes(session.systemTokens);
  const all = [...list.tools.keys()];
  const counts = { needs: 0, forwarded: 0, kept: 0 };
  const missed = new Set<string>();
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
    else if (position !== undefined && needed !== undefined) missed.add(needed);
    counts.kept += sent.length / list.tools.length / session.requests.length;
    sendCall(list, sent, false, tail, outputTokens, prefixes);
    tail += outputTokens + messageTokens;
  }
  const labels = { heldFromK: new Map<string, number>(), learnedFromK: new Map<string, number>() };
  const none = { isArmed: false, bucket: '', ...labels };
  return { calls: prefixes.calls, ...counts, chances: [], rounds: 0, missed: [...missed], ...none };
}
