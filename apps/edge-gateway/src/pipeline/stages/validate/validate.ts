import { hash } from 'node:crypto';
import type { ByteEdit, ChatMessage } from '@gateway/interchange';
import { formatNamed, toolChangesBeta, type EditedRequest, type RequestEdit } from '@gateway/wire-formats';
import type { Logger } from '@gateway/observability';
import type { EdgeMetrics } from '../../../metrics/edge-metrics.ts';
import type { TokenRatios } from '../../../request/token-ratios.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { renderCounted, type LeftOutTools } from '../../exchange/left-out-tools.ts';
import {
  listLeftOut,
  listSent,
  identityPlan,
  noContextEdits,
  type ToolPlan,
} from '../../exchange/tool-plan.ts';
import type { NextRound } from '../../recovery/round-requests.ts';
import type { Outbound } from '../../exchange/tool-plan.ts';
import type { Caller, Target, ParsedRequest } from '../../../request/request.ts';
import {
  calledToolsAreDefined,
  contextEditsAreTexts,
  protectedRangesAreUntouched,
  resultIsJson,
  resultIsNotLonger,
  callEditsAreCalls,
  toolChoiceIsForwarded,
} from './invariants.ts';
import type { Invariant, OutboundDraft } from './invariants.ts';
import { noteOutbound } from './note-outbound.ts';
import type { ToolTokens } from './tool-tokens.ts';

/**
 * The invariants that every upstream request must satisfy. The full scan of the edited request runs last,
 * because the other checks are cheap.
 */
const invariants: readonly Invariant[] = [
  toolChoiceIsForwarded,
  calledToolsAreDefined,
  protectedRangesAreUntouched,
  contextEditsAreTexts,
  callEditsAreCalls,
  resultIsNotLonger,
  resultIsJson,
];

interface ValidateServices {
  readonly metrics: EdgeMetrics;
  readonly log: Logger;
  readonly tokenRatios: Pick<TokenRatios, 'bytesPerToken'>;
  readonly toolTokens: Pick<ToolTokens, 'count'>;
}

/**
 * Applies the plan to the bytes of the client's request. If a plan violates an invariant, the violation is counted
 * and every tool is sent unchanged.
 */
export function validate(
  request: ParsedRequest,
  target: Target,
  planned: ToolPlan,
  exchange: Exchange,
  { accountId }: Pick<Caller, 'accountId'>,
  services: ValidateServices,
): Outbound {
  const owner = { accountId, provider: target.provider.name, model: target.model };
  const bytesPerToken = services.tokenRatios.bytesPerToken(owner);
  exchange.bytesPerToken = bytesPerToken;
  const draft = draftOf(request, target, planned, exchange);
  const defect = defectOf(draft);
  if (defect === null) {
    noteOutbound(exchange, request, planned, null, bytesPerToken);
    exchange.leftOut = countLeftOut(request, planned, accountId, services);
    return outboundOf(draft, request, exchange);
  }
  services.metrics.planDefects.inc();
  services.log.error({ requestId: exchange.requestId, defect }, 'plan dropped: it violates an invariant');
  const identity = { ...identityPlan(planned.eligible, 'invalid_plan'), reply: planned.reply };
  noteOutbound(exchange, request, identity, defect, bytesPerToken);
  return outboundOf(draftOf(request, target, identity, exchange), request, exchange);
}

/** Starts counting the tokens of the tools that the plan leaves out, for the log. */
function countLeftOut(
  { bytes, outline }: ParsedRequest,
  plan: ToolPlan,
  accountId: string,
  { toolTokens }: ValidateServices,
): LeftOutTools | undefined {
  const { recovery, toolHashes } = plan;
  const tools = listLeftOut(plan).flatMap((index) => outline.tools[index] ?? []);
  if (toolHashes === undefined || (tools.length === 0 && recovery === undefined)) return undefined;
  const definitions = tools.map(({ index, range }) => ({
    hash: toolHashes[index] ?? '',
    text: () => bytes.toString('utf8', range.start, range.end),
  }));
  if (recovery !== undefined) {
    const text = renderCounted(recovery.recoveryTool);
    definitions.push({ hash: hash('sha256', text), text: () => text });
  }
  const counts = toolTokens.count(accountId, definitions);
  return { names: tools.map(({ name }) => name), hasRecoveryTool: recovery !== undefined, counts };
}

function outboundOf({ plan, edited }: OutboundDraft, request: ParsedRequest, exchange: Exchange): Outbound {
  return {
    // The bytes are joined only for a provider that needs them in one piece.
    get body() {
      return edited.bytes;
    },
    edited,
    edits: edited.edits,
    conversation: request.conversation,
    plan,
    added: plan.recovery?.openingMessages ?? [],
    bodyFor: (target) => draftOf(request, target, plan, exchange).edited.bytes,
    betaFor: (target) => (loadsTools(plan, target) ? toolChangesBeta : undefined),
    unloadedBodyFor:
      plan.bound?.withdraw === undefined
        ? undefined
        : (target) => draftOf(request, target, withoutAdditions(plan), exchange).edited.bytes,
    plainBodyFor:
      plan.deferral === undefined
        ? null
        : (target) => draftOf(request, target, withoutDeferral(plan), exchange).edited.bytes,
    roundFor: (target, next) => roundOf(request, target, plan, next, exchange),
  };
}

/**
 * Builds the request for a recovery round from the plan of the first request. The request also contains the round's
 * recovery tool and newly added tools. The client never receives the messages that the gateway adds at the end.
 */
function roundOf(
  request: ParsedRequest,
  target: Target,
  plan: ToolPlan,
  next: NextRound,
  exchange: Exchange,
): Outbound {
  const added = new Set(next.added);
  const inPlan = new Set(plan.forwarded);
  const forwarded = plan.eligible.filter((index) => {
    const name = request.outline.tools[index]?.name;
    return next.recovery === null || inPlan.has(index) || (name !== undefined && added.has(name));
  });
  const chosen = { ...plan, forwarded, recovery: next.recovery ?? undefined };
  const planned = next.recovery === null ? withOriginals(withoutDeferral(chosen)) : chosen;
  const draftFor = (to: Target): EditedRequest =>
    draftOf(request, to, planned, exchange, next.messages).edited;
  const { bytes: body, edits } = draftFor(target);
  const bodyFor = (to: Target): Uint8Array => draftFor(to).bytes;
  return {
    ...{ body, edits },
    conversation: request.conversation,
    plan: planned,
    added: next.messages,
    bodyFor,
    plainBodyFor: null,
    roundFor: (to, further) => roundOf(request, to, planned, further, exchange),
  };
}

/**
 * Returns the plan in which every tool is sent unchanged. The plan keeps the recovery tool, because the model may
 * still call this tool.
 */
function withoutDeferral(plan: ToolPlan): ToolPlan {
  return plan.deferral === undefined ? plan : { ...plan, forwarded: plan.eligible, deferral: undefined };
}

/** Returns the plan without the messages that load deferred tools. */
function withoutAdditions(plan: ToolPlan): ToolPlan {
  return plan.deferral === undefined ? plan : { ...plan, deferral: { ...plan.deferral, additions: [] } };
}

/** Returns whether a request to the target contains messages that load deferred tools. */
function loadsTools({ deferral }: ToolPlan, target: Target): boolean {
  if (deferral?.additions?.some(({ tools }) => tools.length > 0) !== true) return false;
  return deferral.appliesAt(target) && deferral.loadsAt?.(target) === true;
}

/**
 * Returns the plan without compression. The whole conversation is sent, because the model cannot recall removed
 * text without the recovery tool.
 */
function withOriginals(plan: ToolPlan): ToolPlan {
  return plan.context.recall === null ? plan : { ...plan, context: noContextEdits };
}

function draftOf(
  request: ParsedRequest,
  target: Target,
  planned: ToolPlan,
  exchange: Exchange,
  added: readonly ChatMessage[] = planned.recovery?.openingMessages ?? [],
): OutboundDraft {
  const { bytes, tape, outline } = request;
  const { recovery } = planned;
  const sent = listSent(planned);
  const keepsAll = sent.length === outline.tools.length;
  const edited = formatNamed(exchange.format).editRequest({
    bytes,
    tape,
    outline,
    model: target.model,
    ...(keepsAll ? {} : { keepTools: new Set(sent) }),
    ...deferralEdit(planned, target),
    contextEdits: planned.context.edits,
    schemaEdits: schemaEditsOf(planned),
    ...(recovery === undefined ? {} : { callEdits: recovery.callEdits, addTools: [recovery.recoveryTool] }),
    // For a translated request, the translation appends the added messages.
    addMessages: target.lane.kind === 'same-format' ? added : [],
  });
  return { bytes, tape, outline, plan: planned, edited };
}

const noSchemaEdits: ReadonlyMap<number, readonly ByteEdit[]> = new Map();

function schemaEditsOf({ schemaEdits }: ToolPlan): ReadonlyMap<number, readonly ByteEdit[]> {
  if (schemaEdits.size === 0) return noSchemaEdits;
  return new Map([...schemaEdits].map(([index, { edits }]) => [index, edits]));
}

function deferralEdit(
  plan: ToolPlan,
  target: Target,
): Pick<RequestEdit, 'deferTools' | 'allowTools' | 'loadTools'> {
  const { deferral, eligible, forwarded } = plan;
  if (deferral === undefined || !deferral.appliesAt(target)) return {};
  const inPlan = new Set(forwarded);
  if (deferral.mode === 'allowed') return { allowTools: inPlan };
  const deferTools = new Set(eligible.filter((index) => !inPlan.has(index)));
  return loadsTools(plan, target) ? { deferTools, loadTools: deferral.additions ?? [] } : { deferTools };
}

function defectOf(draft: OutboundDraft): string | null {
  for (const invariant of invariants) {
    const defect = invariant(draft);
    if (defect !== null) return defect;
  }
  return null;
}
