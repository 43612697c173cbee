import { contextStepsVersion } from '@gateway/contracts';
import type { ModelCatalog } from '@gateway/model-catalog';
import { formatNamed } from '@gateway/wire-formats';
import { letOthersRun } from '../../../../admission/admission.ts';
import { findFirstTurn, isLarge, isReasoningBound } from '../../../../request/request-facts.ts';
import type { Caller, ParsedRequest, Target } from '../../../../request/request.ts';
import type { Exchange } from '../../../exchange/exchange.ts';
import { noContextEdits, type ContextEdits } from '../../../exchange/tool-plan.ts';
import { acceptsRecoveryTool } from '../../../recovery/build-recovery.ts';
import type { ContextPlanner, PinnedContext } from './context-planner.ts';
import { priceContext } from './context-pricing.ts';
import {
  listCandidates,
  type ContextSettings,
  type ContextSubject,
  type UnchangedTurns,
} from './context-subject.ts';

interface ContextServices {
  readonly context: Pick<ContextPlanner, 'plan'>;
  readonly catalog: ModelCatalog;
}

/**
 * Plans the compression of a conversation. Returns no edits if compression is not permitted or there is
 * nothing to compress.
 */
export async function planContext(
  request: ParsedRequest,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  { context, catalog }: ContextServices,
  signal: AbortSignal,
): Promise<ContextEdits> {
  const { mode } = caller.compression;
  if (mode === 'off') return noContextEdits;
  const isRecallable = isRecallEnabled(caller);
  const canRecall = isRecallable && acceptsRecoveryTool(request);
  const isNew = findFirstTurn(request.outline) === Infinity;
  if (isNew && !canRecall) return noContextEdits;
  const model = catalog.find(target.provider.name, target.model);
  if (isReasoningBound(request, target, model)) return noContextEdits;
  const settings = { mode, recoverable: canRecall, version: contextStepsVersion };
  const subject = isNew ? null : await readSubject(request, exchange, caller, settings, model);
  if (subject === null)
    return canRecall ? { ...noContextEdits, recall: () => Promise.resolve(null) } : noContextEdits;
  const planned = await context.plan({ ...subject, isRecallable }, signal);
  exchange.contextPrice = priceContext(model, planned.tokens, exchange.acceptedAt.getTime());
  return canRecall ? planned : { ...planned, recall: null };
}

interface PinnedServices {
  readonly context: Pick<ContextPlanner, 'planPinned'>;
  readonly catalog: ModelCatalog;
}

/**
 * Plans the compression of a later request in a conversation with bound reasoning.
 * @param pinned the settings with which the conversation began, which replace the account's settings.
 */
export async function planPinnedContext(
  request: ParsedRequest,
  target: Target,
  exchange: Exchange,
  caller: Caller,
  pinned: Pick<ContextSettings, 'mode' | 'version'> & { readonly turns: UnchangedTurns },
  { context, catalog }: PinnedServices,
  signal: AbortSignal,
): Promise<PinnedContext> {
  const { mode, version, turns } = pinned;
  const model = catalog.find(target.provider.name, target.model);
  // A request of a conversation with bound reasoning has no recovery tool.
  const subject = await readSubject(request, exchange, caller, { mode, recoverable: false, version }, model);
  if (subject === null) return { context: noContextEdits, isSure: true };
  const planned = await context.planPinned({ ...subject, pinned: turns }, signal);
  exchange.contextPrice = priceContext(model, planned.context.tokens, exchange.acceptedAt.getTime());
  return planned;
}

/** Returns null if the conversation has no message to compress. */
async function readSubject(
  { bytes, tape, outline, known }: ParsedRequest,
  exchange: Exchange,
  { accountId }: Caller,
  settings: ContextSettings,
  model: ContextSubject['model'],
): Promise<ContextSubject | null> {
  const { format, requestId, abort } = exchange;
  if (isLarge(bytes)) await letOthersRun(exchange);
  const parts = formatNamed(format).client.listContext(tape, 0);
  const candidates = listCandidates(outline, parts);
  if (candidates.length === 0) return null;
  const own = { tape, outline, known, parts, candidates, requestId, left: abort.signal };
  return { ...own, accountId, settings, isRecallable: false, model };
}

/** Returns whether the account lets models recall removed text with the gateway's recovery tool. */
function isRecallEnabled({ compression, pruning }: Caller): boolean {
  return compression.mode === 'balanced' && pruning.recovery && pruning.mode !== 'off';
}
