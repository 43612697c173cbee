import { formatNamed } from '@gateway/wire-formats';
import type { Logger } from '@gateway/observability';
import type { EdgeMetrics } from '../../../metrics/edge-metrics.ts';
import type { TokenRatios } from '../../token-ratios.ts';
import type { Exchange } from '../../exchange.ts';
import type { Outbound } from '../../outbound.ts';
import type { Target } from '../../target.ts';
import type { ParsedRequest } from '../../parsed-request.ts';
import { identityPlan, type ToolPlan } from '../../tool-plan.ts';
import { calledToolsAreDefined } from './called-tools-are-defined.ts';
import { contextEditsAreTexts } from './context-edits-are-texts.ts';
import type { Invariant, OutboundDraft } from './draft.ts';
import { protectedRangesAreUntouched } from './protected-ranges-are-untouched.ts';
import { resultIsJson } from './result-is-json.ts';
import { resultIsNotLonger } from './result-is-not-longer.ts';
import { toolChoiceIsForwarded } from './tool-choice-is-forwarded.ts';
import { noteOutbound } from './note-outbound.ts';

/** The cheap ones first: the scan of the whole result runs only on a draft that keeps the others. */
const invariants: readonly Invariant[] = [
  toolChoiceIsForwarded,
  calledToolsAreDefined,
  protectedRangesAreUntouched,
  contextEditsAreTexts,
  resultIsNotLonger,
  resultIsJson,
];

/** Applies the plan to the client's bytes. One that breaks an invariant is dropped for the identity plan, and counted. */
export function validate(
  request: ParsedRequest,
  target: Target,
  planned: ToolPlan,
  exchange: Exchange,
  services: { metrics: EdgeMetrics; log: Logger; tokenRatios: TokenRatios },
): Outbound {
  const draft = draftOf(request, target, planned, exchange);
  const defect = defectOf(draft);
  if (defect === null) {
    noteOutbound(exchange, request, planned, null, services);
    return { body: draft.edited.bytes, plan: planned };
  }
  services.metrics.planDefects.inc();
  services.log.error({ requestId: exchange.requestId, defect }, 'a plan broke an invariant and was dropped');
  const identity = { ...identityPlan(planned.eligible, 'invalid_plan'), reply: planned.reply };
  noteOutbound(exchange, request, identity, defect, services);
  return { body: draftOf(request, target, identity, exchange).edited.bytes, plan: identity };
}

function draftOf(
  request: ParsedRequest,
  target: Target,
  planned: ToolPlan,
  exchange: Exchange,
): OutboundDraft {
  const { bytes, tape, outline } = request;
  const keepsAll = planned.forwarded.length === outline.tools.length;
  const edited = formatNamed(exchange.format).editRequest({
    bytes,
    tape,
    outline,
    model: target.model,
    ...(keepsAll ? {} : { keepTools: new Set(planned.forwarded) }),
    contextEdits: planned.context.edits,
    schemaEdits: new Map([...planned.schemaEdits].map(([index, { edits }]) => [index, edits])),
  });
  return { bytes, tape, outline, plan: planned, edited };
}

function defectOf(draft: OutboundDraft): string | null {
  for (const invariant of invariants) {
    const defect = invariant(draft);
    if (defect !== null) return defect;
  }
  return null;
}
