import { formatNamed } from '@gateway/wire-formats';
import { renderToolCounts, type Exchange } from '../../exchange/exchange.ts';
import { openCallJudge } from '../../recovery/judge-calls.ts';
import { countReaching, listLeftOut, listSent, listShown } from '../../exchange/tool-plan.ts';
import type { ParsedRequest } from '../../../request/request.ts';
import type { ToolPlan } from '../../exchange/tool-plan.ts';

/**
 * Maximum number of candidate tools in a request's log row. A tool list may have thousands of candidates, so
 * the best candidates are written first.
 */
const candidatesMax = 512;
/**
 * Maximum number of candidate tools in shadow mode, which equals the maximum length of a tool list. In shadow
 * mode, every candidate tool is measured.
 */
const shadowCandidatesMax = 4096;

/**
 * Records the plan in the log and in the response headers.
 * @param bytesPerToken the ratio for estimating the conversation's tokens
 */
export function noteOutbound(
  exchange: Exchange,
  request: ParsedRequest,
  plan: ToolPlan,
  defect: string | null,
  bytesPerToken: number,
): void {
  const { ledger, headers, toolGuard } = exchange;
  const offered = toolGuard?.toolsOffered ?? request.outline.tools.length;
  ledger.toolsOffered = offered;
  ledger.toolsIn = plan.eligible.length;
  ledger.toolsPruned = listLeftOut(plan).length;
  ledger.offeredTools = plan.reply === null ? listNames(request, plan) : [];
  const sentCount = listSent(plan).length;
  const isEdited =
    sentCount < offered ||
    toolGuard?.isRestricted === true ||
    plan.deferral !== undefined ||
    plan.schemaEdits.size > 0 ||
    plan.context.edits.length > 0;
  ledger.lane = isEdited ? 'edited' : 'untouched';
  ledger.compressionSteps = sumSteps(plan);
  ledger.context = loggedContext(exchange, plan);
  noteContext(exchange, request, plan, bytesPerToken);
  if (offered === 0) return;
  exchange.judgeCalls = openCallJudge(request, formatNamed(exchange.format), plan);
  ledger.plan = loggedPlan(request, plan, defect);
  if (plan.reason === 'shadow') ledger.heldFromK = listHeldFromK(request, plan);
  exchange.deferral = plan.deferral;
  exchange.deferredTools = listDeferred(request, plan);
  ledger.toolsSent = countReaching(plan) + countFoundBefore(exchange, request);
  ledger.toolsOut = ledger.toolsSent;
  renderToolCounts(exchange);
  if (sentCount < plan.eligible.length && plan.reply) headers['x-svc-routing'] = plan.reply.method;
}

/** Returns the tool names for the statistics of a request for which the router ranked no tools. */
function listNames({ outline }: ParsedRequest, { eligible }: ToolPlan): readonly string[] {
  return eligible.slice(0, candidatesMax).flatMap((index) => outline.tools[index]?.name ?? []);
}

/**
 * Counts the deferred tools that the model found in earlier turns. The provider shows the definitions of found tools
 * to the model.
 */
function countFoundBefore({ deferredTools, format }: Exchange, { tape }: ParsedRequest): number {
  if (deferredTools === undefined) return 0;
  const found = formatNamed(format).client.listFoundTools?.(tape) ?? [];
  return [...found].filter((name) => deferredTools.has(name)).length;
}

type LoggedPlan = Exchange['ledger']['plan'];

function loggedPlan(request: ParsedRequest, plan: ToolPlan, defect: string | null): LoggedPlan {
  const forwarded = new Set(listPlanned(plan));
  const max = plan.reason === 'shadow' ? shadowCandidatesMax : candidatesMax;
  const candidates = (plan.reply?.candidates ?? []).slice(0, max).map((candidate, place) => {
    const index = plan.eligible[candidate.position];
    return {
      name: (index === undefined ? undefined : request.outline.tools[index]?.name) ?? '(built-in)',
      score: candidate.score,
      rank: place + 1,
      forwarded: index !== undefined && forwarded.has(index),
      alwaysIn: candidate.alwaysIn ?? null,
    };
  });
  return {
    intent: plan.reply?.intent ?? null,
    method: plan.reply?.method ?? null,
    k: plan.reply?.k ?? null,
    kReason: plan.reason ?? 'off',
    policyVersion: plan.reply?.policyVersion ?? null,
    defect,
    candidates,
    ...listUnlearned(plan, max),
    bucket: plan.reply?.bucket ?? null,
    worth: plan.reply?.worth ?? null,
    sessionKey: plan.conversation?.conversation ?? null,
    toolList: plan.conversation?.toolList ?? null,
    recovery:
      plan.reply?.recovery.armed === true && plan.reason !== 'shadow' && plan.deferral === undefined
        ? plan.reply.recovery.way
        : null,
    native: plan.deferral?.mode ?? null,
    ...(plan.reason === 'shadow' ? describeShadow(plan) : {}),
  };
}

/** Returns the candidates without the account head, if an account head ranked the tools. */
function listUnlearned({ reply }: ToolPlan, max: number): Pick<NonNullable<LoggedPlan>, 'unlearned'> {
  const unlearned = (reply?.candidates ?? [])
    .slice(0, max)
    .flatMap((each) => (each.unlearned ? [each.unlearned] : []));
  return unlearned.length === 0 ? {} : { unlearned };
}

function describeShadow({ reply }: ToolPlan): { isArmed: boolean; shadowShare?: number } {
  const isArmed = reply?.recovery.armed ?? false;
  return reply?.shadowShare === undefined ? { isArmed } : { isArmed, shadowShare: reply.shadowShare };
}

type Held = NonNullable<Exchange['ledger']['heldFromK']>;

/**
 * Returns, for each tool name, the smallest K at which the plan would forward the tool. If two tools have the
 * same name, the smaller K applies.
 */
function listHeldFromK({ outline }: ParsedRequest, { reply, eligible }: ToolPlan): Held {
  const held = new Map<string, { heldFromK: number; learnedFromK?: number }>();
  for (const { position, heldFromK, learnedFromK } of reply?.candidates ?? []) {
    const name = outline.tools[eligible[position] ?? -1]?.name;
    if (name === undefined || heldFromK === undefined) continue;
    const known = held.get(name);
    const learned =
      learnedFromK === undefined
        ? {}
        : { learnedFromK: Math.min(learnedFromK, known?.learnedFromK ?? learnedFromK) };
    held.set(name, { heldFromK: Math.min(heldFromK, known?.heldFromK ?? heldFromK), ...learned });
  }
  return held;
}

/** Lists the tools that are deferred. A call to a deferred tool shows that the model has searched for the tool. */
function listDeferred({ outline }: ParsedRequest, plan: ToolPlan): ReadonlySet<string> | undefined {
  if (plan.deferral?.mode !== 'deferred') return undefined;
  return new Set(listLeftOut(plan).flatMap((index) => outline.tools[index]?.name ?? []));
}

/**
 * Lists the tools that the log shows as forwarded. In shadow mode, all tools are sent. The log shows the
 * tools that the plan would have sent, because shadow mode measures the plan.
 */
function listPlanned(plan: ToolPlan): readonly number[] {
  const { reason, reply, eligible } = plan;
  if (reason !== 'shadow' || reply === null) return listShown(plan);
  return reply.forwarded.flatMap((position) => eligible[position] ?? []);
}

function loggedContext({ contextPrice }: Exchange, { context }: ToolPlan): Exchange['ledger']['context'] {
  const { session, decision, markers, blocks } = context;
  if (session === null) return null;
  const { savedUsd = null, rewrittenUsd = null } = contextPrice ?? {};
  return { session, decision, savedUsd, rewrittenUsd, markers: [...markers], blocks: [...blocks] };
}

/**
 * Adds the estimated token counts of conversations that the compressor processed. The token counts are
 * rounded to whole numbers that add up to the total.
 */
function noteContext(
  { headers }: Exchange,
  { outline }: ParsedRequest,
  { context }: ToolPlan,
  bytesPerToken: number,
): void {
  if (!context.isCompressed) return;
  const bytes = outline.messages.reduce((sum, { range }) => sum + range.end - range.start, 0);
  const saved = context.steps.reduce((sum, step) => sum + step.tokensBefore - step.tokensAfter, 0);
  const tokensIn = Math.max(saved, Math.ceil(bytes / bytesPerToken));
  headers['x-svc-ctx-tokens-in'] = String(tokensIn);
  headers['x-svc-ctx-tokens-out'] = String(tokensIn - saved);
  headers['x-svc-ctx-tokens-saved'] = String(saved);
}

/** For each compression step, adds up the token counts of all tools and messages. */
export function sumSteps(
  plan: Pick<ToolPlan, 'schemaEdits' | 'context'>,
): Exchange['ledger']['compressionSteps'] {
  const sums = new Map<string, { step: string; tokensBefore: number; tokensAfter: number }>();
  for (const { steps } of [...plan.schemaEdits.values(), plan.context]) {
    for (const { step, tokensBefore, tokensAfter } of steps) {
      const sum = sums.get(step) ?? { step, tokensBefore: 0, tokensAfter: 0 };
      sum.tokensBefore += tokensBefore;
      sum.tokensAfter += tokensAfter;
      sums.set(step, sum);
    }
  }
  return [...sums.values()];
}
